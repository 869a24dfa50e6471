import type { Message, SettlementType } from '@paid-inference/contract/types';
import type { SiteFacts } from '../../facts.ts';
import type { Draft } from './draft.ts';

type Given = {
  readonly facts: SiteFacts;
  readonly draft: Draft;
  readonly isBusy: boolean;
  readonly change: (more: Partial<Draft>) => void;
};

/** The request: model, messages, tool, and how much the proof ledger gets. */
export function OrderForm({ facts, draft, isBusy, change }: Given) {
  return (
    // The price is for the request as it was. Meanwhile, the visitor changes nothing.
    <fieldset class="columns two" disabled={isBusy} aria-label="Request">
      <div>
        <label for="model">Model</label>
        <select
          id="model"
          value={draft.model}
          onChange={({ currentTarget }) => change({ model: currentTarget.value })}
        >
          {facts.models.map(({ id }) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
        <Conversation messages={draft.messages} />
        <label for="message">Your message</label>
        <textarea
          id="message"
          dir="auto"
          rows={4}
          value={draft.message}
          onInput={({ currentTarget }) => change({ message: currentTarget.value })}
        />
      </div>
      <div>
        <label for="tokens">Longest completion, in tokens</label>
        <input
          id="tokens"
          type="number"
          min={1}
          value={draft.maxTokens}
          onInput={({ currentTarget }) => change({ maxTokens: Number(currentTarget.value) })}
        />
        <label for="settlement">On the proof ledger</label>
        <select
          id="settlement"
          value={draft.settlementType}
          onChange={({ currentTarget }) => change({ settlementType: currentTarget.value as SettlementType })}
        >
          <option value="batch">batch: the root of many proofs</option>
          <option value="individual">individual: the hashes of this request</option>
          <option value="private">private: nothing</option>
        </select>
        <ToolField draft={draft} change={change} />
      </div>
    </fieldset>
  );
}

function ToolField({ draft, change }: Omit<Given, 'facts' | 'isBusy'>) {
  return (
    <>
      <label>
        <input
          type="checkbox"
          checked={draft.hasTool}
          onChange={({ currentTarget }) => change({ hasTool: currentTarget.checked })}
        />{' '}
        Offer a tool to the model
      </label>
      {draft.hasTool && (
        <>
          <label for="tool">Definition of the tool (JSON)</label>
          <textarea
            id="tool"
            class="code"
            rows={10}
            spellcheck={false}
            value={draft.tool}
            onInput={({ currentTarget }) => change({ tool: currentTarget.value })}
          />
        </>
      )}
    </>
  );
}

/** The messages of the conversation so far. */
function Conversation({ messages }: { readonly messages: readonly Message[] }) {
  if (messages.length === 0) return null;
  return (
    <section aria-label="Conversation">
      {messages.map((message, at) => (
        <div class="panel" key={at}>
          <p class="quiet">{message.role}</p>
          <p class="chat" dir="auto">
            {describe(message)}
          </p>
        </div>
      ))}
    </section>
  );
}

function describe(message: Message): string {
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  const called = calls.map(({ function: { name, arguments: given } }) => `calls ${name}(${given})`);
  return [message.content, ...called].filter((part) => part !== null && part !== '').join('\n');
}
