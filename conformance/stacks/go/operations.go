package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"client/api"
)

// callTool asks for a tool call, and sends its result.
func (b *buyer) callTool(ctx context.Context) (response, error) {
	text, object := "string", "object"
	choice := api.ToolChoice("required")
	properties := map[string]api.ToolParameter{"order_id": {Type: &text}}
	description := "Looks up the status of an order by its number"
	tools := []api.ToolDefinition{{
		Type: api.ToolDefinitionTypeFunction,
		Function: api.FunctionDefinition{
			Name:        "order_status",
			Description: &description,
			Parameters:  &api.ToolParameters{Type: &object, Properties: &properties, Required: &[]string{"order_id"}},
		},
	}}
	request := ask("What is the status of order A-1042?")
	request.Tools, request.ToolChoice = &tools, &choice
	first, err := b.chat(ctx, request)
	if err != nil || first.message == nil {
		return first, err
	}
	calls := first.message.ToolCalls
	if calls == nil {
		return response{}, errors.New("the model called no tool")
	}
	request.ToolChoice = nil
	request.Messages = append(request.Messages, message(api.AssistantMessage{ToolCalls: calls}))
	for _, call := range *calls {
		request.Messages = append(request.Messages,
			message(api.ToolMessage{ToolCallId: call.Id, Content: `{"status": "shipped"}`}))
	}
	return b.chat(ctx, request)
}

// readProof buys a completion, and reads the record of its proof.
func (b *buyer) readProof(ctx context.Context, question api.ChatCompletionRequest) (response, error) {
	paid, err := b.chat(ctx, question)
	if err != nil {
		return paid, err
	}
	var proof api.InferenceProof
	if err := decodeHeader(paid.http.Header.Get("X-INFERENCE-PROOF"), &proof); err != nil {
		return response{}, err
	}
	answer, err := b.gateway.GetProofWithResponse(ctx, proof.ProofId)
	if err != nil {
		return response{}, err
	}
	read := response{http: answer.HTTPResponse, paid: paid.paid, failure: cmp.Or(answer.JSON404, answer.JSON503)}
	if answer.JSON200 != nil {
		read.text = &answer.JSON200.LeafHash
	}
	return read, nil
}

func (b *buyer) listModels(ctx context.Context) (response, error) {
	answer, err := b.gateway.ListModelsWithResponse(ctx)
	if err != nil {
		return response{}, err
	}
	read := response{http: answer.HTTPResponse, failure: answer.JSON429}
	if answer.JSON200 != nil {
		var ids []string
		for _, model := range answer.JSON200.Data {
			ids = append(ids, model.Id)
		}
		list := strings.Join(ids, ",")
		read.text = &list
	}
	return read, nil
}

// readOffer reads the offer of a request without paying it.
func (b *buyer) readOffer(ctx context.Context, question api.ChatCompletionRequest) (response, error) {
	answer, err := b.gateway.CreateChatCompletionWithResponse(ctx, nil, question)
	if err != nil {
		return response{}, err
	}
	var offer api.PaymentRequirements
	if err := decodeHeader(answer.HTTPResponse.Header.Get("X-PAYMENT-REQUIRED"), &offer); err != nil {
		return response{}, err
	}
	return response{http: answer.HTTPResponse, failure: answer.JSON402, text: &offer.MaxAmountRequired}, nil
}

func (b *buyer) findModel(ctx context.Context, id string) (response, error) {
	answer, err := b.gateway.GetModelWithResponse(ctx, id)
	if err != nil {
		return response{}, err
	}
	return response{http: answer.HTTPResponse, failure: cmp.Or(answer.JSON404, answer.JSON429, answer.JSON500)}, nil
}

// deleteChat uses a method that the document does not declare, so only the schema of its error is generated.
func (b *buyer) deleteChat(ctx context.Context) (response, error) {
	change := func(_ context.Context, request *http.Request) error {
		request.Method = http.MethodDelete
		return nil
	}
	answer, err := b.gateway.CreateChatCompletionWithResponse(ctx, nil, ask("Say pong."), change)
	if err != nil {
		return response{}, err
	}
	read := response{http: answer.HTTPResponse, failure: new(api.ErrorBody)}
	return read, json.Unmarshal(answer.Body, read.failure)
}

// sendText sends a body that is not JSON.
func (b *buyer) sendText(ctx context.Context) (response, error) {
	answer, err := b.gateway.CreateChatCompletionWithBodyWithResponse(ctx, nil, "text/plain", strings.NewReader("pong"))
	if err != nil {
		return response{}, err
	}
	return response{http: answer.HTTPResponse, failure: answer.JSON415}, nil
}
