package client

import java.io.File
import kotlinx.serialization.encodeToString

/** Runs one scenario against a gateway, through the client that openapi-generator made. */
fun main(arguments: Array<String>) {
  if (arguments.firstOrNull() == "vectors") {
    checkVectors(File(System.getenv("VECTORS")).readText())
    return
  }
  val buyer = Buyer(System.getenv("GATEWAY_URL"), Payer(System.getenv("PAYER_KEY")))
  println(json.encodeToString(buyer.play(System.getenv("SCENARIO"))))
}
