package client;

import com.fasterxml.jackson.databind.ObjectMapper;
import gateway.ApiClient;
import gateway.model.PaymentAuthorization;
import gateway.model.PaymentObject;
import gateway.model.PaymentPayload;
import gateway.model.PaymentRequirements;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.web3j.crypto.Credentials;
import org.web3j.crypto.Sign;
import org.web3j.crypto.StructuredDataEncoder;
import org.web3j.utils.Numeric;

/** Signs payments, and reads and writes the headers that carry them (§4.4). */
final class Payments {
  static final ObjectMapper JSON = ApiClient.createDefaultObjectMapper();

  private static final int CHAIN_ID = 84532;
  private static final int NONCE_BYTES = 32;
  private static final SecureRandom RANDOM = new SecureRandom();

  private Payments() {}

  /**
   * Signs an authorization for an offer, and returns the header `X-PAYMENT`.
   *
   * @param forges signs another amount than the one that it sends
   */
  static String pay(PaymentRequirements offer, Credentials payer, boolean forges) {
    byte[] nonce = new byte[NONCE_BYTES];
    RANDOM.nextBytes(nonce);
    var authorization =
        new PaymentAuthorization()
            .from(payer.getAddress())
            .to(offer.getPayTo())
            .value(offer.getMaxAmountRequired())
            .validAfter(0L)
            .validBefore(Instant.now().getEpochSecond() + offer.getMaxTimeoutSeconds())
            .nonce(Numeric.toHexString(nonce));
    var payment = sign(offer, authorization, payer);
    if (forges) authorization.setValue(authorization.getValue() + "0");
    return encodeHeader(payment);
  }

  static PaymentObject sign(PaymentRequirements offer, PaymentAuthorization authorization, Credentials payer) {
    byte[] digest = hashTypedData(offer, authorization);
    var signature = Sign.signMessage(digest, payer.getEcKeyPair(), false);
    byte[] bytes = new byte[65];
    System.arraycopy(signature.getR(), 0, bytes, 0, 32);
    System.arraycopy(signature.getS(), 0, bytes, 32, 32);
    bytes[64] = signature.getV()[0];
    return new PaymentObject()
        .payload(new PaymentPayload().signature(Numeric.toHexString(bytes)).authorization(authorization));
  }

  /** Returns the EIP-712 digest of an authorization. */
  static byte[] hashTypedData(PaymentRequirements offer, PaymentAuthorization authorization) {
    var types =
        Map.of(
            "EIP712Domain",
            fields("name string, version string, chainId uint256, verifyingContract address"),
            "TransferWithAuthorization",
            fields("from address, to address, value uint256, validAfter uint256, validBefore uint256, nonce bytes32"));
    var domain =
        Map.of(
            "name", offer.getExtra().getName(),
            "version", offer.getExtra().getVersion().getValue(),
            "chainId", CHAIN_ID,
            "verifyingContract", offer.getAsset());
    try {
      String typedData =
          JSON.writeValueAsString(
              Map.of(
                  "primaryType", "TransferWithAuthorization",
                  "types", types,
                  "domain", domain,
                  "message", authorization));
      return new StructuredDataEncoder(typedData).hashStructuredData();
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  private static List<Map<String, String>> fields(String text) {
    var fields = new ArrayList<Map<String, String>>();
    for (String field : text.split(", ")) {
      String[] words = field.split(" ");
      fields.add(Map.of("name", words[0], "type", words[1]));
    }
    return fields;
  }

  static String encodeHeader(Object value) {
    try {
      return Base64.getEncoder().encodeToString(JSON.writeValueAsBytes(value));
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  static <T> T decodeHeader(String header, Class<T> type) {
    try {
      return JSON.readValue(Base64.getDecoder().decode(header), type);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
