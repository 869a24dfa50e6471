package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"reflect"

	"client/api"
)

type vectors struct {
	Key, Digest, Signature string
	Offer                  api.PaymentRequirements
	Authorization          api.PaymentAuthorization
	Receipt                api.PaymentReceipt
	Proof                  api.InferenceProof
	Headers                map[string]string
}

// checkVectors signs the authorization of the test vectors, and decodes their headers.
func checkVectors(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var expected vectors
	if err := json.Unmarshal(text, &expected); err != nil {
		return err
	}
	key, err := parseKey(expected.Key)
	if err != nil {
		return err
	}
	digest, err := hashTypedData(expected.Offer, expected.Authorization)
	if err != nil {
		return err
	}
	payment := api.PaymentObject{
		Payload: api.PaymentPayload{Signature: sign(digest, key), Authorization: expected.Authorization},
	}
	var offer api.PaymentRequirements
	var sent api.PaymentObject
	var receipt api.PaymentReceipt
	var proof api.InferenceProof
	for name, value := range map[string]any{
		"X-PAYMENT-REQUIRED": &offer, "X-PAYMENT": &sent, "X-PAYMENT-RESPONSE": &receipt, "X-INFERENCE-PROOF": &proof,
	} {
		if err := decodeHeader(expected.Headers[name], value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for name, pair := range map[string][2]any{
		"payer":              {address(key.PubKey()), expected.Authorization.From},
		"digest":             {"0x" + hex.EncodeToString(digest), expected.Digest},
		"signature":          {payment.Payload.Signature, expected.Signature},
		"X-PAYMENT-REQUIRED": {offer, expected.Offer},
		"X-PAYMENT":          {sent, payment},
		"X-PAYMENT-RESPONSE": {receipt, expected.Receipt},
		"X-INFERENCE-PROOF":  {proof, expected.Proof},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			return fmt.Errorf("%s: %v is not %v", name, pair[0], pair[1])
		}
	}
	return nil
}
