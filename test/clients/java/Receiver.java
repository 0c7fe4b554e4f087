import com.example.paywright.ApiClient;
import com.example.paywright.model.PaymentNotification;
import com.example.paywright.model.RefundNotification;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Receives notifications and checks their signatures. */
public class Receiver {
  private static final ObjectMapper json = ApiClient.createDefaultObjectMapper();

  public static void main(String[] args) throws Exception {
    int port = Integer.parseInt(System.getenv("PORT"));
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          boolean isValid = isSigned(exchange.getRequestHeaders(), body);
          if (isValid) handle(body);
          exchange.sendResponseHeaders(isValid ? 204 : 401, -1);
          exchange.close();
        });
    server.start();
  }

  /** Standard Webhooks: an HMAC-SHA256 of id, time and body. During a rotation there are two signatures. */
  static boolean isSigned(Headers headers, byte[] body) {
    try {
      String id = headers.getFirst("webhook-id");
      String timestamp = headers.getFirst("webhook-timestamp");
      long age = Instant.now().getEpochSecond() - Long.parseLong(timestamp);
      if (Math.abs(age) > 300) return false;
      String secret = System.getenv("WEBHOOK_SECRET").substring("whsec_".length());
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret), "HmacSHA256"));
      mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
      byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(StandardCharsets.UTF_8);
      for (String signature : headers.getFirst("webhook-signature").split(" ")) {
        if (MessageDigest.isEqual(expected, signature.getBytes(StandardCharsets.UTF_8))) return true;
      }
      return false;
    } catch (Exception malformed) {
      return false;
    }
  }

  /** Store the message here, and work after the answer. */
  static void handle(byte[] body) throws java.io.IOException {
    String type = json.readTree(body).get("type").asText();
    if (type.equals("payment.partially_refunded")) {
      RefundNotification message = json.readValue(body, RefundNotification.class);
      System.out.println(message.getType() + " " + message.getData().getPaymentRequest().getId());
    } else if (type.startsWith("payment.")) {
      PaymentNotification message = json.readValue(body, PaymentNotification.class);
      System.out.println(message.getType() + " " + message.getData().getPaymentRequest().getId());
    }
  }
}
