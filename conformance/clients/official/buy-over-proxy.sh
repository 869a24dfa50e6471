# Buys one chat completion with OpenAI's SDK over the local proxy. The arguments are Node and the command of the client.
exec "$1" "$2" proxy --port 0 --upstream "$CONFORMANCE_URL" --key-file "$CONFORMANCE_KEY_FILE" \
  --max-price "$CONFORMANCE_PRICE_MAX" --token "$CONFORMANCE_TOKEN" --pay-to "$CONFORMANCE_PAY_TO" \
  ${RESOURCE_HOST:+--resource-host "$RESOURCE_HOST"} \
  --journal "${JOURNAL:-$CONFORMANCE_KEY_FILE.journal}" -- "$1" buy.mjs openai
