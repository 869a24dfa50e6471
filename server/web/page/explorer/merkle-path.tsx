import { computeRoot, hashLeaf } from '@paid-inference/client/verify';
import type { InferenceLeaf } from '@paid-inference/contract/types';
import { shorten } from '../format.ts';

const width = 620;
const rowHeight = 74;
const box = { width: 240, height: 34 };

/** The nodes from the leaf to the root. Each is computed here from the one below and its sibling. */
function levels(leafHash: string, path: readonly string[]): readonly string[] {
  return ['', ...path].map((_, count) => computeRoot(leafHash, path.slice(0, count)));
}

/** A drawing of the Merkle path of a proof, from its leaf at the bottom to the root at the top. */
export function MerklePath({
  leaf,
  path,
  root,
}: {
  readonly leaf: InferenceLeaf;
  readonly path: readonly string[];
  readonly root: string;
}) {
  const nodes = levels(hashLeaf(leaf), path);
  const height = nodes.length * rowHeight;
  const top = (level: number) => height - (level + 1) * rowHeight + 20;
  const leads = nodes.at(-1)?.toLowerCase() === root.toLowerCase();
  return (
    <figure class="panel">
      <svg
        class="merkle"
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`The Merkle path has ${path.length} steps from the leaf to the root.`}
      >
        {path.map((sibling, level) => (
          <g key={sibling}>
            <path
              d={`M130 ${top(level)} V${top(level + 1) + box.height} M490 ${top(level)} V${top(level) - 20} H130`}
            />
            <Box x={370} y={top(level)} text={shorten(sibling)} kind="" />
          </g>
        ))}
        {nodes.map((node, level) => (
          <Box
            key={node}
            x={10}
            y={top(level)}
            text={named(node, level, path.length)}
            kind={level === path.length ? 'root' : 'own'}
          />
        ))}
      </svg>
      <figcaption>{describePath(leads, path.length)}</figcaption>
      <details>
        <summary>The path as text</summary>
        <ol>
          {nodes.map((node, level) => (
            <li key={node} class="hex">
              {node}
              {level < path.length && <span class="quiet"> with {path[level]}</span>}
            </li>
          ))}
        </ol>
      </details>
    </figure>
  );
}

/** The result of the computation, in words. */
function describePath(leads: boolean, steps: number): string {
  if (!leads) return 'The path does not lead to the root of the batch.';
  if (steps === 0) return 'The batch has no other proof, so its root is the hash of this proof.';
  return 'The path leads from this proof to the root of its batch. Your browser computed each node on the left from the two below it.';
}

/** A node by its place: the leaf and the root have a name. */
function named(node: string, level: number, top: number): string {
  if (level === top) return `root ${shorten(node)}`;
  return level === 0 ? `this proof ${shorten(node)}` : shorten(node);
}

function Box({
  x,
  y,
  text,
  kind,
}: {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly kind: string;
}) {
  return (
    <g>
      <rect x={x} y={y} width={box.width} height={box.height} rx={8} class={kind} />
      <text x={x + box.width / 2} y={y + 21} text-anchor="middle" class={kind === 'root' ? 'onroot' : ''}>
        {text}
      </text>
    </g>
  );
}
