import com.example.paywright.ApiClient;
import com.example.paywright.ApiException;
import com.example.paywright.api.PaymentRequestsApi;
import com.example.paywright.api.PaymentsApi;
import com.example.paywright.model.CardOrder;
import com.example.paywright.model.H2hOrder;
import com.example.paywright.model.PaymentRequest;
import com.example.paywright.model.PaymentRequestStatus;
import com.example.paywright.model.Problem;
import com.example.paywright.model.Refund;
import com.example.paywright.model.RefundEntry;
import java.net.URI;
import java.util.UUID;

/** Pays by card, refunds a part, and reads why a card was declined. */
public class Shop {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("GATEWAY_URL"));
    // Without Accept, the text OK is the whole answer of a call that succeeds.
    client.setRequestInterceptor(
        request ->
            request
                .setHeader("Accept", "application/json, application/problem+json")
                .setHeader("X-API-Key", System.getenv("API_KEY")));
    PaymentsApi payments = new PaymentsApi(client);
    PaymentRequestsApi paymentRequests = new PaymentRequestsApi(client);

    PaymentRequest paid =
        payments.payH2h(11L, order("4111111111111111"), newKey(), null, null).getPaymentRequest();
    if (paid.getPaymentRequestStatusId() != PaymentRequestStatus.PAID) {
      throw new IllegalStateException("the payment is not paid: " + paid.getPaymentRequestStatusId());
    }
    System.out.println("paid " + paid.getId());

    PaymentRequest refunded =
        paymentRequests
            .refund(paid.getId(), newKey(), null, null, new Refund().amount(5.10))
            .getPaymentRequest();
    RefundEntry part = refunded.getRefunds().get(0);
    // The refund may be pending. A notification then reports its result.
    System.out.println("refunds " + part.getAmount() + " left " + refunded.getRefundableAmount());

    try {
      payments.payH2h(11L, order("4000000000009995"), newKey(), null, null);
    } catch (ApiException declined) {
      Problem problem =
          client.getObjectMapper().readValue(declined.getResponseBody(), Problem.class);
      System.out.println(
          "declined " + problem.getCode() + " " + problem.getDetails().getDeclineCode());
    }
  }

  static H2hOrder order(String number) {
    return new H2hOrder(
        new CardOrder()
            .name("Ines Duarte")
            .email("ines.duarte@shop.example")
            .phoneNumber("+351912345678")
            .address("Rua Augusta 12")
            .city("Lisboa")
            .state("LX")
            .postalCode("1100-053")
            .country("PT")
            .number(number)
            .expiration("12/39")
            .cvv("737")
            .amount(25.90)
            .unit("EUR")
            .notifyUrl(URI.create(System.getenv("NOTIFY_URL"))));
  }

  /** Keep the key with the order, and send the same key when you repeat the call: the payer then pays once. */
  static String newKey() {
    return UUID.randomUUID().toString();
  }
}
