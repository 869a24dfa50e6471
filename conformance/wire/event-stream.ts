/**
 * The data of the events of a stream, in order, without comments and other fields.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export function readEvents(body: string): readonly string[] {
  const events: string[] = [];
  let data: string[] = [];
  // The end of the body ends the last event too, as in OpenAI's clients.
  for (const line of [...body.replace(/^\ufeff/, '').split(/\r\n|\n|\r/), '']) {
    if (line === '' && data.length > 0) {
      events.push(data.join('\n'));
      data = [];
    }
    const field = /^data(?:: ?(.*))?$/.exec(line);
    if (field) data.push(field[1] ?? '');
  }
  return events;
}
