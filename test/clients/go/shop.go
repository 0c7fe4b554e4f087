// Pays by card, refunds a part, and reads why a card was declined.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/google/uuid"

	"shop/paywright"
)

// The gateway reads both headers. Without Accept, the text OK is the whole answer of a call that succeeds.
func headers(_ context.Context, request *http.Request) error {
	request.Header.Set("X-API-Key", os.Getenv("API_KEY"))
	request.Header.Set("Accept", "application/json")
	return nil
}

func order(number string) paywright.H2hOrder {
	notifyURL := os.Getenv("NOTIFY_URL")
	var order paywright.H2hOrder
	err := order.FromCardOrder(paywright.CardOrder{
		Name:        "Ines Duarte",
		Email:       "ines.duarte@shop.example",
		PhoneNumber: "+351912345678",
		Address:     "Rua Augusta 12",
		City:        "Lisboa",
		State:       "LX",
		PostalCode:  "1100-053",
		Country:     "PT",
		Number:      number,
		Expiration:  "12/39",
		Cvv:         "737",
		Amount:      25.90,
		Unit:        "EUR",
		NotifyUrl:   &notifyURL,
	})
	check(err)
	return order
}

func main() {
	ctx := context.Background()
	client, err := paywright.NewClientWithResponses(os.Getenv("GATEWAY_URL"), paywright.WithRequestEditorFn(headers))
	check(err)

	paid, err := client.PayH2hWithResponse(ctx, 11, &paywright.PayH2hParams{IdempotencyKey: newKey()}, order("4111111111111111"))
	check(err)
	payment := paid.JSON200.PaymentRequest
	if payment.PaymentRequestStatusId != paywright.PaymentRequestStatusPAID {
		log.Fatal("the payment is not paid: ", payment.PaymentRequestStatusId)
	}
	fmt.Println("paid", payment.Id)

	amount := 5.10
	refunded, err := client.RefundWithResponse(ctx, payment.Id, &paywright.RefundParams{IdempotencyKey: newKey()}, paywright.Refund{Amount: &amount})
	check(err)
	payment = refunded.JSON200.PaymentRequest
	// The refund may be pending. A notification then reports its result.
	fmt.Println("refunds", payment.Refunds[0].Amount, "left", payment.RefundableAmount)

	declined, err := client.PayH2hWithResponse(ctx, 11, &paywright.PayH2hParams{IdempotencyKey: newKey()}, order("4000000000009995"))
	check(err)
	problem := declined.ApplicationproblemJSON400
	fmt.Println("declined", problem.Code, *problem.Details.DeclineCode)
}

// Keep the key with the order, and send the same key when you repeat the call: the payer then pays once.
func newKey() *string {
	key := uuid.NewString()
	return &key
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
