package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"client/api"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
)

const model = "alder/alder-mini"

// A response holds what a scenario reads from a generated response.
type response struct {
	http *http.Response
	// The response to the last payment.
	paid    *http.Response
	text    *string
	message *api.CompletionMessage
	failure *api.ErrorBody
}

type buyer struct {
	gateway *api.ClientWithResponses
	key     *secp256k1.PrivateKey
	// Signs another amount than the one that it sends.
	forges bool
}

func newBuyer(url, privateKey string) (*buyer, error) {
	gateway, err := api.NewClientWithResponses(url)
	if err != nil {
		return nil, err
	}
	key, err := parseKey(privateKey)
	if err != nil {
		return nil, err
	}
	return &buyer{gateway: gateway, key: key}, nil
}

func (b *buyer) play(ctx context.Context, scenario string) (response, error) {
	question := ask("What is 6 times 7?")
	switch scenario {
	case "pay-text":
		return b.complete(ctx, api.CompletionRequest{Model: model, Prompt: "Count to three."})
	case "pay-tools":
		return b.callTool(ctx)
	case "proof":
		return b.readProof(ctx, question)
	case "models":
		return b.listModels(ctx)
	case "error-400":
		temperature := 3.0
		question.Temperature = &temperature
	case "error-401":
		b.forges = true
	case "error-402-offer":
		return b.readOffer(ctx, question)
	case "error-404":
		return b.findModel(ctx, "x")
	case "error-405":
		return b.deleteChat(ctx)
	case "error-413":
		question = ask(strings.Repeat("x", 2_000_000))
	case "error-415":
		return b.sendText(ctx)
	}
	return b.chat(ctx, question)
}

func ask(text string) api.ChatCompletionRequest {
	return api.ChatCompletionRequest{Model: model, Messages: []api.Message{message(api.UserMessage{Content: text})}}
}

func (b *buyer) chat(ctx context.Context, request api.ChatCompletionRequest) (response, error) {
	return b.buy(func(payment *string) (response, error) {
		settlement := api.Individual
		parameters := api.CreateChatCompletionParams{XPAYMENT: payment, XSETTLEMENTTYPE: &settlement}
		answer, err := b.gateway.CreateChatCompletionWithResponse(ctx, &parameters, request)
		if err != nil {
			return response{}, err
		}
		failure := cmp.Or(answer.JSON400, answer.JSON401, answer.JSON402, answer.JSON413, answer.JSON415,
			answer.JSON429, answer.JSON500, answer.JSON502, answer.JSON503, answer.JSON504)
		read := response{http: answer.HTTPResponse, failure: failure}
		if answer.JSON200 != nil {
			read.message = &answer.JSON200.Choices[0].Message
			read.text = read.message.Content
		}
		return read, nil
	})
}

func (b *buyer) complete(ctx context.Context, request api.CompletionRequest) (response, error) {
	return b.buy(func(payment *string) (response, error) {
		parameters := api.CreateCompletionParams{XPAYMENT: payment}
		answer, err := b.gateway.CreateCompletionWithResponse(ctx, &parameters, request)
		if err != nil {
			return response{}, err
		}
		failure := cmp.Or(answer.JSON400, answer.JSON401, answer.JSON402, answer.JSON413, answer.JSON415,
			answer.JSON429, answer.JSON500, answer.JSON502, answer.JSON503, answer.JSON504)
		read := response{http: answer.HTTPResponse, failure: failure}
		if answer.JSON200 != nil {
			read.text = &answer.JSON200.Choices[0].Text
		}
		return read, nil
	})
}

// buy sends a request, and sends it again with a payment if the gateway makes an offer (§4.4).
func (b *buyer) buy(send func(payment *string) (response, error)) (response, error) {
	unpaid, err := send(nil)
	if err != nil || unpaid.http.StatusCode != http.StatusPaymentRequired {
		return unpaid, err
	}
	var offer api.PaymentRequirements
	if err := decodeHeader(unpaid.http.Header.Get("X-PAYMENT-REQUIRED"), &offer); err != nil {
		return response{}, err
	}
	payment, err := b.pay(offer)
	if err != nil {
		return response{}, err
	}
	paid, err := send(&payment)
	paid.paid = paid.http
	return paid, err
}

// report reads the error, or the receipt of a completion.
func (r response) report(scenario string) (report, error) {
	line := report{Scenario: scenario, Status: r.http.StatusCode, Text: r.text}
	if r.failure != nil {
		var detail api.ErrorDetail
		if isDetail, err := r.readError(&detail); err != nil || !isDetail {
			return line, err
		}
		line.Code, line.Param = &detail.Code, detail.Param
	}
	if r.paid == nil {
		return line, nil
	}
	if header := r.paid.Header.Get("X-PAYMENT-RESPONSE"); header != "" {
		var receipt api.PaymentReceipt
		if err := decodeHeader(header, &receipt); err != nil {
			return line, err
		}
		line.TxHash = &receipt.TxHash
	}
	return line, nil
}

// readError returns false for an offer, whose `error` is a text (D-288).
func (r response) readError(detail *api.ErrorDetail) (bool, error) {
	text, err := json.Marshal(r.failure.Error)
	if err != nil || text[0] != '{' {
		return false, err
	}
	if err := json.Unmarshal(text, detail); err != nil {
		return false, fmt.Errorf("the error is not an ErrorDetail: %w", err)
	}
	return true, nil
}

// message puts a message of one role into the union of all roles.
func message(value any) api.Message {
	var union api.Message
	var err error
	switch value := value.(type) {
	case api.UserMessage:
		err = union.FromUserMessage(value)
	case api.AssistantMessage:
		err = union.FromAssistantMessage(value)
	case api.ToolMessage:
		err = union.FromToolMessage(value)
	default:
		err = fmt.Errorf("no message: %T", value)
	}
	if err != nil {
		panic(err)
	}
	return union
}
