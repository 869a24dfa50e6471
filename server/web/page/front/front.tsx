import { goProgram } from 'virtual:programs';
import { network } from '@paid-inference/contract/constants';
import type { CatalogModel } from '@paid-inference/contract/types';
import type { SiteFacts } from '../../facts.ts';
import { formatAmount, formatCount, pricePerThousand } from '../format.ts';
import { Copyable, Fact, Hex, Tabs } from '../parts.tsx';
import { link } from '../root.ts';
import { firstRequests } from './first-request.ts';

type Given = { readonly facts: SiteFacts };

export const title = 'Models and prices';

/** The first view: what the gateway sells, for how much, and how to buy. */
export function View({ facts }: Given) {
  return (
    <>
      <h1>Completions, paid by the request</h1>
      <p class="lead">
        Send a request in the format of OpenAI. The gateway returns its price. Sign a token transfer, send the
        request again, and get the completion. You need no account and no API key.
      </p>
      <p class="row">
        <a class="button main" href={link('/try')}>
          Try it
        </a>
        <a class="button" href={link('/docs')}>
          Read the API reference
        </a>
      </p>
      <Facts facts={facts} />
      <Models facts={facts} />
      <FirstRequest facts={facts} />
      <Flow />
    </>
  );
}

function Facts({ facts }: Given) {
  const { token, payTo, proofLedger, attestation, settled } = facts;
  return (
    <dl class="facts">
      <Fact name="Network">
        <code>{network}</code>
        {facts.devnetPayer !== null && ' (a devnet of this gateway)'}
      </Fact>
      <Fact name="Token">
        <bdi>{token.name}</bdi>
        <br />
        <Hex text={token.address} />
      </Fact>
      <Fact name="Paid to">
        <Hex text={payTo} />
      </Fact>
      <Fact name="Proof ledger">
        <code>eip155:{proofLedger.chainId}</code>
        <br />
        <Hex text={proofLedger.contract} />
      </Fact>
      <Fact name="Attestation">
        <code>{attestation.provider}</code>
        {attestation.hardware ? ', signed by hardware' : ', not a TEE'}
      </Fact>
      <Fact name="Settled payments, last 24 hours">
        {settled === null
          ? 'unknown'
          : `${formatCount(settled.payments)}${settled.isAtLeast ? ' or more' : ''}`}
      </Fact>
    </dl>
  );
}

function Models({ facts: { models, token } }: Given) {
  const unit = token.decimals === null ? 'the smallest unit of the token' : token.name;
  return (
    <section aria-labelledby="models">
      <h2 id="models">Models</h2>
      <table class="cards">
        <caption>
          Prices in <bdi>{unit}</bdi>. A request costs its input and its <code>max_tokens</code>, and at least
          the minimum.
        </caption>
        <thead>
          <tr>
            <th scope="col">Model</th>
            <th scope="col" class="number">
              Context
            </th>
            <th scope="col" class="number">
              Longest output
            </th>
            <th scope="col" class="number">
              1,000 tokens in
            </th>
            <th scope="col" class="number">
              1,000 tokens out
            </th>
            <th scope="col" class="number">
              Minimum
            </th>
          </tr>
        </thead>
        <tbody>
          {models.map((model) => (
            <ModelRow key={model.id} model={model} decimals={token.decimals} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function ModelRow({ model, decimals }: { readonly model: CatalogModel; readonly decimals: number | null }) {
  const { id, context_length: context, max_output_tokens: output, pricing } = model;
  return (
    <tr>
      <th scope="row">
        <a href={link(`/try?model=${encodeURIComponent(id)}`)}>{id}</a>
      </th>
      <td class="number" data-name="Context">
        {formatCount(context)}
      </td>
      <td class="number" data-name="Longest output">
        {formatCount(output)}
      </td>
      <td class="number" data-name="1,000 tokens in">
        {pricePerThousand(pricing.input_per_million, decimals)}
      </td>
      <td class="number" data-name="1,000 tokens out">
        {pricePerThousand(pricing.output_per_million, decimals)}
      </td>
      <td class="number" data-name="Minimum">
        {formatAmount(BigInt(pricing.minimum), decimals)}
      </td>
    </tr>
  );
}

function FirstRequest({ facts }: Given) {
  const programs = firstRequests(facts, goProgram);
  return (
    <section aria-labelledby="first-request">
      <h2 id="first-request">A first request</h2>
      <p>The request with curl gets the price, and pays nothing. The programs buy one completion.</p>
      <Tabs
        label="Languages"
        tabs={programs.map(({ name, before, code }) => ({
          name,
          content: (
            <>
              <p class="quiet">{before}</p>
              <Copyable text={code} label={`the program for ${name}`} />
            </>
          ),
        }))}
      />
    </section>
  );
}

function Flow() {
  return (
    <section aria-labelledby="flow">
      <h2 id="flow">What happens in a purchase</h2>
      <ol class="flow">
        <li>
          <h3>Ask</h3>
          <p>
            The client sends its request. The gateway returns 402 with an offer: price, token and recipient.
          </p>
        </li>
        <li>
          <h3>Sign</h3>
          <p>The client checks the offer and signs a transfer of exactly this price (EIP-3009).</p>
        </li>
        <li>
          <h3>Send again</h3>
          <p>The gateway verifies the signature, runs the model, and settles the transfer on the chain.</p>
        </li>
        <li>
          <h3>Receive</h3>
          <p>The completion comes with a receipt of the transfer and a signed proof of the inference.</p>
        </li>
      </ol>
      <p>A rejected request and a failed inference cost nothing. One signature is charged at most once.</p>
    </section>
  );
}
