const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["./try-D9hAhyHG.js","./parts-BnERWfEk.js","./parts-Cqiq6nYg.css","./step-list-1UmHTT-A.js","./explorer-D2thpX5x.js","./rolldown-runtime-DK3Fl9T5.js"])))=>i.map(i=>d[i]);
import{_ as e,a as t,d as n,g as r,h as i,i as a,n as o,o as s,p as c,r as l,t as u,u as d}from"./parts-BnERWfEk.js";var f=`package main

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
)

const priceMax = 100_000 // in the token's smallest unit

type Offer struct {
	Scheme, Network, Resource, Asset, PayTo, MaxAmountRequired string
	MaxTimeoutSeconds                                          int64
	Extra                                                      struct{ Name, Version string }
}

type Authorization struct {
	From        string \`json:"from"\`
	To          string \`json:"to"\`
	Value       string \`json:"value"\`
	ValidAfter  int64  \`json:"validAfter"\`
	ValidBefore int64  \`json:"validBefore"\`
	Nonce       string \`json:"nonce"\`
}

func main() {
	if len(os.Args) != 5 {
		log.Fatal("usage: buy GATEWAY KEY_FILE TOKEN RECIPIENT")
	}
	gateway, keyFile, token, recipient := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	text, err := os.ReadFile(keyFile)
	check(err)
	key, err := crypto.HexToECDSA(strings.TrimPrefix(strings.TrimSpace(string(text)), "0x"))
	check(err)
	url := gateway + "/v1/chat/completions"

	// 1. Ask for the offer.
	response, body, err := post(url, "")
	check(err)
	if response.StatusCode != 402 {
		log.Fatal(response.Status, " ", string(body))
	}
	var offer Offer
	decode(response.Header.Get("X-PAYMENT-REQUIRED"), &offer)

	// 2. Check the offer.
	price, isNumber := new(big.Int).SetString(offer.MaxAmountRequired, 10)
	if offer.Scheme != "exact" || offer.Network != "eip155:84532" || offer.Resource != url {
		log.Fatal("The offer is for something else.")
	}
	if !strings.EqualFold(offer.Asset, token) || !strings.EqualFold(offer.PayTo, recipient) {
		log.Fatal("The offer has another token or recipient.")
	}
	if !isNumber || price.Cmp(big.NewInt(priceMax)) > 0 {
		log.Fatal("The price is too high.")
	}

	// 3. Sign the authorization.
	nonce := make([]byte, 32)
	rand.Read(nonce)
	authorization := Authorization{
		From:        crypto.PubkeyToAddress(key.PublicKey).Hex(),
		To:          offer.PayTo,
		Value:       offer.MaxAmountRequired,
		ValidBefore: time.Now().Unix() + min(offer.MaxTimeoutSeconds, 86_400),
		Nonce:       "0x" + hex.EncodeToString(nonce),
	}
	signature, err := crypto.Sign(digest(offer, authorization), key)
	check(err)
	signature[64] += 27

	// 4. Pay. Until there is a completion or a refusal, send the same payment again.
	payment, err := json.Marshal(map[string]any{"payload": map[string]any{
		"signature":     "0x" + hex.EncodeToString(signature),
		"authorization": authorization,
	}})
	check(err)
	header := base64.StdEncoding.EncodeToString(payment)
	var completion struct {
		Choices []struct{ Message struct{ Content string } }
	}
	for attempt := 1; ; attempt++ {
		response, body, err = post(url, header)
		wait := 2
		if err == nil {
			err = json.Unmarshal(body, &completion)
			if err == nil && response.StatusCode == 200 && len(completion.Choices) > 0 {
				break
			}
			if err == nil && isRefusal[response.StatusCode] {
				log.Fatal(response.Status, " ", string(body))
			}
			log.Print(response.Status)
			if seconds, e := strconv.Atoi(response.Header.Get("Retry-After")); e == nil {
				wait = min(seconds, 60)
			}
		} else {
			log.Print(err)
		}
		if attempt == 5 {
			log.Fatal("There is no completion. The payment may still settle.")
		}
		time.Sleep(time.Duration(wait) * time.Second)
	}

	// 5. Read the completion, and check the receipt.
	fmt.Println(completion.Choices[0].Message.Content)
	var receipt struct {
		Success                bool
		Network, Payer, TxHash string
	}
	if text := response.Header.Get("X-PAYMENT-RESPONSE"); text != "" {
		decode(text, &receipt)
	}
	if !receipt.Success || receipt.Network != offer.Network || !strings.EqualFold(receipt.Payer, authorization.From) {
		log.Fatal("The receipt is missing or false.")
	}
	fmt.Println(receipt.TxHash)
}

var isRefusal = map[int]bool{400: true, 401: true, 402: true, 404: true, 413: true, 415: true}

// The EIP-712 digest. Each value takes 32 bytes, and a text is replaced by its hash.
func digest(offer Offer, authorization Authorization) []byte {
	domain := crypto.Keccak256(
		hash("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
		hash(offer.Extra.Name), hash(offer.Extra.Version), number("84532"), number(offer.Asset))
	message := crypto.Keccak256(
		hash("TransferWithAuthorization(address from,address to,uint256 value,"+
			"uint256 validAfter,uint256 validBefore,bytes32 nonce)"),
		number(authorization.From), number(authorization.To), number(authorization.Value),
		number(fmt.Sprint(authorization.ValidAfter)), number(fmt.Sprint(authorization.ValidBefore)),
		number(authorization.Nonce))
	return crypto.Keccak256([]byte{0x19, 0x01}, domain, message)
}

func hash(text string) []byte {
	return crypto.Keccak256([]byte(text))
}

// The 32 bytes of a decimal number, or of an address or nonce in hex.
func number(text string) []byte {
	value, isNumber := new(big.Int).SetString(text, 0)
	if !isNumber || value.Sign() < 0 || value.BitLen() > 256 {
		log.Fatal("no number: ", text)
	}
	return value.FillBytes(make([]byte, 32))
}

func post(url, payment string) (*http.Response, []byte, error) {
	body := \`{"model":"alder/alder-mini","messages":[{"role":"user","content":"What is 6 times 7?"}]}\`
	request, err := http.NewRequest("POST", url, bytes.NewBufferString(body))
	check(err)
	request.Header.Set("Content-Type", "application/json")
	if payment != "" {
		request.Header.Set("X-PAYMENT", payment)
	}
	client := http.Client{Timeout: 2 * time.Minute, CheckRedirect: stay}
	response, err := client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response, text, err
}

// A payment goes to no other place.
func stay(*http.Request, []*http.Request) error {
	return http.ErrUseLastResponse
}

func decode(header string, value any) {
	text, err := base64.StdEncoding.DecodeString(header)
	check(err)
	check(json.Unmarshal(text, value))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
`,p=`[DONE]`,m=`exact`,h=`eip155:84532`,g=84532,_=`paid-inference/enclave-key/v1`,v=`paid-inference/exchange/v1`,y={createChatCompletion:{method:`POST`,path:`/v1/chat/completions`},createCompletion:{method:`POST`,path:`/v1/completions`},listModels:{method:`GET`,path:`/v1/models`},getModel:{method:`GET`,path:`/v1/models/{id}`},getProof:{method:`GET`,path:`/v1/proofs/{id}`},getAttestation:{method:`GET`,path:`/v1/attestation`},getHealth:{method:`GET`,path:`/health`},getReadiness:{method:`GET`,path:`/ready`},getOpenApiDocument:{method:`GET`,path:`/openapi.json`},getPaidResources:{method:`GET`,path:`/.well-known/x402`}},b={payment:`X-PAYMENT`,paymentSignature:`PAYMENT-SIGNATURE`,settlementType:`X-SETTLEMENT-TYPE`,idempotencyKey:`Idempotency-Key`,retryCount:`x-stainless-retry-count`,requestId:`X-Request-Id`,ignoredFields:`X-Ignored-Fields`,rateLimitRequests:`x-ratelimit-limit-requests`,rateLimitRemainingRequests:`x-ratelimit-remaining-requests`,rateLimitReset:`x-ratelimit-reset-requests`,cacheControl:`Cache-Control`,shouldRetry:`x-should-retry`,retryAfterSeconds:`Retry-After`,paymentResponse:`X-PAYMENT-RESPONSE`,paymentResponseV2:`PAYMENT-RESPONSE`,inferenceProof:`X-INFERENCE-PROOF`,idempotentReplayed:`Idempotent-Replayed`,paymentRequired:`X-PAYMENT-REQUIRED`,paymentRequiredV2:`PAYMENT-REQUIRED`},x=import.meta.url,S=new URL(`../../`,x),C=S.href.replace(/\/$/,``),w=location.pathname.slice(S.pathname.length-1);function T(e){return`${S.pathname}${e.slice(1)}`}var E=`What is 6 times 7?`;function D(e,t){let{gateway:n,token:r,payTo:i,devnetPayer:a}=e,o=e.models[0]?.id??``,s=a===null?`payer.key`:`.data/devnet/payer.key`,c=`The file ${s} has the private key of an account with some of the token.`;return[{name:`curl`,before:`This request pays nothing. The header X-PAYMENT-REQUIRED of the response has the offer.`,code:`curl -i ${n}${y.createChatCompletion.path} \\
  -H 'Content-Type: application/json' \\
  -d '{"model":"${o}","messages":[{"role":"user","content":"${E}"}]}'`},{name:`TypeScript`,before:`The program needs the packages @paid-inference/client and ethers. ${c}`,code:`import { readFileSync } from 'node:fs';
import { createClient } from '@paid-inference/client';
import { Wallet } from 'ethers';

const client = createClient({
  baseUrl: '${n}',
  signer: new Wallet(readFileSync('${s}', 'utf8').trim()),
  rules: {
    amountPerRequestMax: 100_000n,
    amountTotalMax: 1_000_000n,
    assets: ['${r.address}'],
    payTo: ['${i}'],
  },
});
const messages = [{ role: 'user' as const, content: '${E}' }];
const result = await client.chat({ model: '${o}', messages });
if (result.kind === 'completion') console.log(result.completion.choices[0]?.message.content, result.receipt?.txHash);
else console.log(result);`},{name:`Python`,before:`The program needs the packages paid-inference and openai. ${c}`,code:`from openai import OpenAI
import paid_inference

http_client = paid_inference.client(
    key_file="${s}",
    amount_per_request_max=100_000,
    amount_total_max=1_000_000,
    assets=["${r.address}"],
    pay_to=["${i}"],
)
openai = OpenAI(base_url="${n}/v1", api_key="unused", http_client=http_client)
completion = openai.chat.completions.create(
    model="${o}",
    messages=[{"role": "user", "content": "${E}"}],
)
print(completion.choices[0].message.content)`},{name:`Go`,before:`The program needs the module go-ethereum. Run it with: go run . ${n} ${s} ${r.address} ${i}`,code:t.trim()}]}var O=`Models and prices`;function k({facts:e}){return s(i,{children:[s(`h1`,{children:`Completions, paid by the request`}),s(`p`,{class:`lead`,children:`Send a request in the format of OpenAI. The gateway returns its price. Sign a token transfer, send the request again, and get the completion. You need no account and no API key.`}),s(`p`,{class:`row`,children:[s(`a`,{class:`button main`,href:T(`/try`),children:`Try it`}),s(`a`,{class:`button`,href:T(`/docs`),children:`Read the API reference`})]}),s(A,{facts:e}),s(j,{facts:e}),s(N,{facts:e}),s(P,{})]})}function A({facts:e}){let{token:t,payTo:r,proofLedger:i,attestation:a,settled:c}=e;return s(`dl`,{class:`facts`,children:[s(o,{name:`Network`,children:[s(`code`,{children:h}),e.devnetPayer!==null&&` (a devnet of this gateway)`]}),s(o,{name:`Token`,children:[s(`bdi`,{children:t.name}),s(`br`,{}),s(l,{text:t.address})]}),s(o,{name:`Paid to`,children:s(l,{text:r})}),s(o,{name:`Proof ledger`,children:[s(`code`,{children:[`eip155:`,i.chainId]}),s(`br`,{}),s(l,{text:i.contract})]}),s(o,{name:`Attestation`,children:[s(`code`,{children:a.provider}),a.hardware?`, signed by hardware`:`, not a TEE`]}),s(o,{name:`Settled payments, last 24 hours`,children:c===null?`unknown`:`${n(c.payments)}${c.isAtLeast?` or more`:``}`})]})}function j({facts:{models:e,token:t}}){let n=t.decimals===null?`the smallest unit of the token`:t.name;return s(`section`,{"aria-labelledby":`models`,children:[s(`h2`,{id:`models`,children:`Models`}),s(`table`,{class:`cards`,children:[s(`caption`,{children:[`Prices in `,s(`bdi`,{children:n}),`. A request costs its input and its `,s(`code`,{children:`max_tokens`}),`, and at least the minimum.`]}),s(`thead`,{children:s(`tr`,{children:[s(`th`,{scope:`col`,children:`Model`}),s(`th`,{scope:`col`,class:`number`,children:`Context`}),s(`th`,{scope:`col`,class:`number`,children:`Longest output`}),s(`th`,{scope:`col`,class:`number`,children:`1,000 tokens in`}),s(`th`,{scope:`col`,class:`number`,children:`1,000 tokens out`}),s(`th`,{scope:`col`,class:`number`,children:`Minimum`})]})}),s(`tbody`,{children:e.map(e=>s(M,{model:e,decimals:t.decimals},e.id))})]})]})}function M({model:e,decimals:t}){let{id:r,context_length:i,max_output_tokens:a,pricing:o}=e;return s(`tr`,{children:[s(`th`,{scope:`row`,children:s(`a`,{href:T(`/try?model=${encodeURIComponent(r)}`),children:r})}),s(`td`,{class:`number`,"data-name":`Context`,children:n(i)}),s(`td`,{class:`number`,"data-name":`Longest output`,children:n(a)}),s(`td`,{class:`number`,"data-name":`1,000 tokens in`,children:c(o.input_per_million,t)}),s(`td`,{class:`number`,"data-name":`1,000 tokens out`,children:c(o.output_per_million,t)}),s(`td`,{class:`number`,"data-name":`Minimum`,children:d(BigInt(o.minimum),t)})]})}function N({facts:e}){let n=D(e,f);return s(`section`,{"aria-labelledby":`first-request`,children:[s(`h2`,{id:`first-request`,children:`A first request`}),s(`p`,{children:`The request with curl gets the price, and pays nothing. The programs buy one completion.`}),s(t,{label:`Languages`,tabs:n.map(({name:e,before:t,code:n})=>({name:e,content:s(i,{children:[s(`p`,{class:`quiet`,children:t}),s(u,{text:n,label:`the program for ${e}`})]})}))})]})}function P(){return s(`section`,{"aria-labelledby":`flow`,children:[s(`h2`,{id:`flow`,children:`What happens in a purchase`}),s(`ol`,{class:`flow`,children:[s(`li`,{children:[s(`h3`,{children:`Ask`}),s(`p`,{children:`The client sends its request. The gateway returns 402 with an offer: price, token and recipient.`})]}),s(`li`,{children:[s(`h3`,{children:`Sign`}),s(`p`,{children:`The client checks the offer and signs a transfer of exactly this price (EIP-3009).`})]}),s(`li`,{children:[s(`h3`,{children:`Send again`}),s(`p`,{children:`The gateway verifies the signature, runs the model, and settles the transfer on the chain.`})]}),s(`li`,{children:[s(`h3`,{children:`Receive`}),s(`p`,{children:`The completion comes with a receipt of the transfer and a signed proof of the inference.`})]})]}),s(`p`,{children:`A rejected request and a failed inference cost nothing. One signature is charged at most once.`})]})}var F=15e3;async function I(){let e=await fetch(T(`/web/facts.json`),{signal:AbortSignal.timeout(F)});if(!e.ok)throw Error(`The gateway returned ${e.status} for its facts`);return await e.json()}var L=(function(){let e=typeof document<`u`&&document.createElement(`link`).relList;return e&&e.supports&&e.supports(`modulepreload`)?`modulepreload`:`preload`})(),R=function(e,t){return new URL(e,t).href},z={},B=function(e){return e.pathname.endsWith(`.css`)},V=function(e,t,n){if(t in e)return e[t];let r=n();if(!r){e[t]=void 0;return}let i=r.then(()=>{e[t]=void 0},n=>{throw e[t]=void 0,n});return e[t]=i,i},H=function(e,t,n){let r=Promise.resolve();if(t&&t.length>0){let e,i=document.querySelector(`meta[property=csp-nonce]`),a=i?.nonce||i?.getAttribute(`nonce`);function o(e){return Promise.all(e.map(e=>Promise.resolve(e).then(e=>({status:`fulfilled`,value:e}),e=>({status:`rejected`,reason:e}))))}function s(e){return import.meta.resolve?new URL(import.meta.resolve(e)):new URL(e,import.meta.url)}r=o(t.map(t=>{t=R(t,n);let r=s(t),i=B(r);return V(z,r.href,()=>{if(e===void 0){e={all:new Set,styles:new Set};let t=document.getElementsByTagName(`link`);for(let n=t.length-1;n>=0;n--){let r=t[n];e.all.add(r.href),r.rel===`stylesheet`&&e.styles.add(r.href)}}if((i?e.styles:e.all).has(r.href))return;let t=document.createElement(`link`);if(t.rel=i?`stylesheet`:L,i||(t.as=`script`),t.crossOrigin=``,t.href=r.href,a&&t.setAttribute(`nonce`,a),document.head.appendChild(t),i)return new Promise((e,n)=>{let i=a=>{t.removeEventListener(`load`,i),t.removeEventListener(`error`,i),a.type===`error`?n(Error(`Unable to preload CSS for ${r}`)):e(a)};t.addEventListener(`load`,i),t.addEventListener(`error`,i)})})}).filter(e=>e!==void 0))}function i(e){let t=new Event(`vite:preloadError`,{cancelable:!0});if(t.payload=e,window.dispatchEvent(t),!t.defaultPrevented)throw e}return r.then(t=>{for(let e of t||[])e.status===`rejected`&&i(e.reason);return e().catch(i)})},U=[[/^\/$/,async()=>({title:O,View:k})],[/^\/try$/,()=>H(()=>import(`./try-D9hAhyHG.js`),__vite__mapDeps([0,1,2,3]),import.meta.url)],[/^\/(?:explorer|tx\/.*|payment\/.*|proof\/.*)$/,()=>H(()=>import(`./explorer-D2thpX5x.js`).then(e=>e.t),__vite__mapDeps([4,5,1,2,3]),import.meta.url)]];async function W(){let t=document.getElementById(`main`),n=U.find(([e])=>e.test(w))?.[1];if(t!==null&&n!==void 0)try{let[i,a]=await Promise.all([n(),I()]);document.title=`${i.title} – Paid inference gateway`,r(e(i.View,{facts:a}),t)}catch(e){let n=e instanceof Error?e.message:String(e);r(s(i,{children:[s(`h1`,{children:`Paid inference gateway`}),s(a,{kind:`bad`,title:`This view could not be loaded`,children:s(`p`,{children:[n,`. Load the page again. If that does not help, the gateway may be down.`]})})]}),t)}}for(let e of document.querySelectorAll(`.top nav a`))(e.pathname===location.pathname||e.pathname===T(`/explorer`)&&/^\/(?:tx|payment|proof)\//.test(w))&&e.setAttribute(`aria-current`,`page`);W();export{_ as a,v as c,m as d,p as f,w as i,b as l,C as n,g as o,T as r,y as s,H as t,h as u};