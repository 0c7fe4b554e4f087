// Receives notifications and checks their signatures.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"shop/paywright"
)

func main() {
	webhook, err := standardwebhooks.NewWebhook(os.Getenv("WEBHOOK_SECRET"))
	if err != nil {
		log.Fatal(err)
	}
	receive := func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil || webhook.Verify(body, request.Header) != nil {
			response.WriteHeader(http.StatusUnauthorized)
			return
		}
		if err := handle(body); err != nil {
			response.WriteHeader(http.StatusInternalServerError)
			return
		}
		response.WriteHeader(http.StatusNoContent)
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), http.HandlerFunc(receive)))
}

// Store the message here, and work after the answer.
func handle(body []byte) error {
	var message struct{ Type string }
	if err := json.Unmarshal(body, &message); err != nil {
		return err
	}
	switch {
	case message.Type == "payment.partially_refunded":
		var refund paywright.RefundNotification
		err := json.Unmarshal(body, &refund)
		fmt.Println(refund.Type, refund.Data.PaymentRequest.Id)
		return err
	case strings.HasPrefix(message.Type, "payment."):
		var payment paywright.PaymentNotification
		err := json.Unmarshal(body, &payment)
		fmt.Println(payment.Type, payment.Data.PaymentRequest.Id)
		return err
	}
	return nil
}
