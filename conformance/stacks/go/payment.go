package main

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"client/api"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"golang.org/x/crypto/sha3"
)

const chainID = 84532

// pay signs an authorization for an offer, and returns the header X-PAYMENT (§4.4).
func (b *buyer) pay(offer api.PaymentRequirements) (string, error) {
	nonce := make([]byte, 32)
	rand.Read(nonce)
	authorization := api.PaymentAuthorization{
		From:        address(b.key.PubKey()),
		To:          offer.PayTo,
		Value:       offer.MaxAmountRequired,
		ValidBefore: time.Now().Unix() + int64(offer.MaxTimeoutSeconds),
		Nonce:       "0x" + hex.EncodeToString(nonce),
	}
	signed := authorization
	if b.forges {
		signed.Value += "0"
	}
	digest, err := hashTypedData(offer, signed)
	if err != nil {
		return "", err
	}
	signature := sign(digest, b.key)
	return encodeHeader(api.PaymentObject{
		Payload: api.PaymentPayload{Signature: signature, Authorization: authorization},
	})
}

// hashTypedData returns the EIP-712 digest of an authorization. Each value takes 32 bytes, and a text its hash.
func hashTypedData(offer api.PaymentRequirements, authorization api.PaymentAuthorization) ([]byte, error) {
	domain, err := hashStruct("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)",
		keccak([]byte(offer.Extra.Name)), keccak([]byte(offer.Extra.Version)),
		strconv.Itoa(chainID), offer.Asset)
	if err != nil {
		return nil, err
	}
	message, err := hashStruct("TransferWithAuthorization(address from,address to,uint256 value,"+
		"uint256 validAfter,uint256 validBefore,bytes32 nonce)",
		authorization.From, authorization.To, authorization.Value,
		strconv.FormatInt(authorization.ValidAfter, 10), strconv.FormatInt(authorization.ValidBefore, 10),
		authorization.Nonce)
	if err != nil {
		return nil, err
	}
	return keccak([]byte{0x19, 0x01}, domain, message), nil
}

// hashStruct takes each value as its bytes, or as a number in decimal or hex.
func hashStruct(typeText string, values ...any) ([]byte, error) {
	words := [][]byte{keccak([]byte(typeText))}
	for _, value := range values {
		switch value := value.(type) {
		case []byte:
			words = append(words, value)
		case string:
			number, isNumber := new(big.Int).SetString(value, 0)
			if !isNumber || number.Sign() < 0 || number.BitLen() > 256 {
				return nil, fmt.Errorf("%q is not a uint256", value)
			}
			words = append(words, number.FillBytes(make([]byte, 32)))
		}
	}
	return keccak(words...), nil
}

// sign returns the 65 bytes r, s and v in hex, by RFC 6979.
func sign(digest []byte, key *secp256k1.PrivateKey) string {
	compact := ecdsa.SignCompact(key, digest, false)
	return "0x" + hex.EncodeToString(append(compact[1:], compact[0]))
}

func parseKey(text string) (*secp256k1.PrivateKey, error) {
	bytes, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	if err != nil || len(bytes) != secp256k1.PrivKeyBytesLen {
		return nil, fmt.Errorf("the private key is not %d bytes in hex", secp256k1.PrivKeyBytesLen)
	}
	return secp256k1.PrivKeyFromBytes(bytes), nil
}

func address(key *secp256k1.PublicKey) string {
	return "0x" + hex.EncodeToString(keccak(key.SerializeUncompressed()[1:])[12:])
}

func keccak(parts ...[]byte) []byte {
	hash := sha3.NewLegacyKeccak256()
	for _, part := range parts {
		hash.Write(part)
	}
	return hash.Sum(nil)
}

func encodeHeader(value any) (string, error) {
	text, err := json.Marshal(value)
	return base64.StdEncoding.EncodeToString(text), err
}

func decodeHeader(header string, value any) error {
	text, err := base64.StdEncoding.DecodeString(header)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, value)
}
