package client;

import org.web3j.crypto.Credentials;

/** Runs one scenario against a gateway, through the client that openapi-generator made. */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) throws Exception {
    if (arguments.length > 0 && arguments[0].equals("vectors")) {
      Vectors.check(System.getenv("VECTORS"));
      return;
    }
    var payer = Credentials.create(System.getenv("PAYER_KEY"));
    var report = new Buyer(System.getenv("GATEWAY_URL"), payer).play(System.getenv("SCENARIO"));
    System.out.println(Payments.JSON.writeValueAsString(report));
  }
}
