package client;

import com.fasterxml.jackson.databind.JsonNode;
import gateway.model.InferenceProof;
import gateway.model.PaymentAuthorization;
import gateway.model.PaymentObject;
import gateway.model.PaymentReceipt;
import gateway.model.PaymentRequirements;
import java.io.File;
import java.io.IOException;
import org.web3j.crypto.Credentials;
import org.web3j.utils.Numeric;

/** Checks the test vectors with the code that pays. */
final class Vectors {
  private Vectors() {}

  /** Signs the authorization of the test vectors, and decodes their headers. */
  static void check(String file) throws IOException {
    JsonNode vectors = Payments.JSON.readTree(new File(file));
    var offer = Payments.JSON.treeToValue(vectors.get("offer"), PaymentRequirements.class);
    var authorization = Payments.JSON.treeToValue(vectors.get("authorization"), PaymentAuthorization.class);
    var payer = Credentials.create(vectors.get("key").asText());
    var payment = Payments.sign(offer, authorization, payer);
    var receipt = Payments.JSON.treeToValue(vectors.get("receipt"), PaymentReceipt.class);
    var proof = Payments.JSON.treeToValue(vectors.get("proof"), InferenceProof.class);
    byte[] digest = Payments.hashTypedData(offer, authorization);
    compare("payer", payer.getAddress(), authorization.getFrom());
    compare("digest", Numeric.toHexString(digest), vectors.get("digest").asText());
    compare("signature", payment.getPayload().getSignature(), vectors.get("signature").asText());
    JsonNode headers = vectors.get("headers");
    compare("X-PAYMENT-REQUIRED", decode(headers, "X-PAYMENT-REQUIRED", PaymentRequirements.class), offer);
    compare("X-PAYMENT", decode(headers, "X-PAYMENT", PaymentObject.class), payment);
    compare("X-PAYMENT-RESPONSE", decode(headers, "X-PAYMENT-RESPONSE", PaymentReceipt.class), receipt);
    compare("X-INFERENCE-PROOF", decode(headers, "X-INFERENCE-PROOF", InferenceProof.class), proof);
  }

  private static <T> T decode(JsonNode headers, String name, Class<T> type) {
    return Payments.decodeHeader(headers.get(name).asText(), type);
  }

  private static void compare(String name, Object actual, Object expected) {
    if (!actual.equals(expected)) throw new IllegalStateException(name + ": " + actual + " is not " + expected);
  }
}
