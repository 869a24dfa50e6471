// Package client has x402's client for Go, which pays in one token, with a cap on the price of one request.
package client

import (
	"net/http"
	"time"

	x402 "github.com/x402-foundation/x402/go/v2"
	x402http "github.com/x402-foundation/x402/go/v2/http"
	exact "github.com/x402-foundation/x402/go/v2/mechanisms/evm/exact/client"
	signers "github.com/x402-foundation/x402/go/v2/signers/evm"
)

const deadline = 30 * time.Second

// New returns an HTTP client that pays offers of x402 v2 in the token, up to a price.
func New(key, network, token, priceMax string) (*http.Client, error) {
	signer, err := signers.NewClientSignerFromPrivateKey(key)
	if err != nil {
		return nil, err
	}
	allowed := x402.SpendControlAsset{Network: x402.Network(network), Asset: token, MaxAmountPerPayment: priceMax}
	payer := x402.Newx402Client().
		SetSpendControls(x402.SpendControls{AllowedAssets: []x402.SpendControlAsset{allowed}}).
		Register(x402.Network(network), exact.NewExactEvmScheme(signer, nil))
	return x402http.WrapHTTPClientWithPayment(&http.Client{Timeout: deadline}, x402http.Newx402HTTPClient(payer)), nil
}
