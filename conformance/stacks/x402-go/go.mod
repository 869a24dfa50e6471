module client

go 1.25.0

require github.com/x402-foundation/x402/go/v2 v2.9.0
