import { setTimeout as after } from 'node:timers/promises';
import {
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Log } from '../observe/log.ts';
import type { Attributes, Span } from './steps.ts';

export type TracesOptions = {
  /** The OTLP endpoint for traces over HTTP. */
  readonly url: string;
  /** The part of the paid requests that are traced. */
  readonly ratio: number;
  readonly version: string;
  readonly log: Pick<Log, 'info' | 'warn'>;
};

export type OpenTraces = {
  /** Starts the trace of a request. It never continues a trace of the client, who could fill the collector. */
  startTrace(name: string, attributes: Attributes): Span;
  /** Sends the spans that wait, and ends. */
  close(): Promise<void>;
};

/** A collector that is slow or down must not use up the memory, nor delay the end of the process for long. */
const queueMax = 4_096;
const exportTimeoutMs = 3_000;
const closeTimeoutMs = 3_500;

/** Opens the export of traces. It needs no global registration, so that several gateways fit into a process. */
export function openTraces({ url, ratio, version, log }: TracesOptions): OpenTraces {
  const exporter = reportFaults(new OTLPTraceExporter({ url, timeoutMillis: exportTimeoutMs }), log);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'paid-inference-gateway',
      'service.version': version,
    }),
    sampler: new TraceIdRatioBasedSampler(ratio),
    spanProcessors: [
      new BatchSpanProcessor({ exporter, maxQueueSize: queueMax, exportTimeoutMillis: exportTimeoutMs }),
    ],
  });
  const tracer = provider.getTracer('paid-inference-gateway', version);
  return {
    startTrace(name, attributes) {
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes, root: true }, ROOT_CONTEXT);
      return wrapSpan(span, tracer);
    },
    async close() {
      // It rejects if the last spans cannot be sent, which is reported already.
      const sent = provider.shutdown().catch(() => undefined);
      await Promise.race([sent, after(closeTimeoutMs, undefined, { ref: false })]);
    },
  };
}

/** Logs that spans cannot be sent, once for each outage. */
function reportFaults(exporter: SpanExporter, log: TracesOptions['log']): SpanExporter {
  let isDown = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.code !== 0;
        if (failed && !isDown) log.warn(`traces cannot be sent: ${result.error?.message ?? 'unknown'}`);
        if (!failed && isDown) log.info('traces are sent again');
        isDown = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

function wrapSpan(span: OtelSpan, tracer: Tracer): Span {
  return {
    child: (name, attributes = {}) =>
      wrapSpan(tracer.startSpan(name, { attributes }, trace.setSpan(ROOT_CONTEXT, span)), tracer),
    set: (attributes) => void span.setAttributes(attributes),
    end(errorType) {
      if (errorType !== undefined) {
        span.setAttribute('error.type', errorType);
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
    headers() {
      const { traceId, spanId, traceFlags } = span.spanContext();
      return { traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}` };
    },
  };
}
