const date = '\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])';
const time = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?(?:Z|[+-]\\d{2}:\\d{2})';
const uri = /^[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"<>\\^`{|}]+$/i;
const email = /^[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}$/;
const uuid = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;
const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;
const hostname = /^[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){0,8}$/i;

/** The shape of a format, and a text of it that differs for each `index`. */
type Format = { readonly shape: RegExp; sample(index: number): string };

/** The formats of JSON Schema that tools use. Other formats are ignored, as the standard allows. */
export const formats: ReadonlyMap<string, Format> = new Map([
  format('date', new RegExp(`^${date}$`), (index) => `2025-01-${padded((index % 28) + 1)}`),
  format('time', new RegExp(`^${time}$`), (index) => `12:${padded(index % 60)}:00Z`),
  format('date-time', new RegExp(`^${date}T${time}$`), (index) => `2025-01-01T12:${padded(index % 60)}:00Z`),
  format('email', email, (index) => `user${index || ''}@example.com`),
  format('uri', uri, (index) => `https://example.com/${index || ''}`),
  format('url', uri, (index) => `https://example.com/${index || ''}`),
  format('uuid', uuid, (index) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`),
  format('ipv4', ipv4, (index) => `192.0.2.${(index % 254) + 1}`),
  format('ipv6', /^(?=.{2,39}$)[\da-f:]*::?[\da-f:]*$/i, (index) => `2001:db8::${(index + 1).toString(16)}`),
  format('hostname', hostname, (index) => `host${index}.example`),
]);

function format(name: string, shape: RegExp, sample: Format['sample']): [string, Format] {
  return [name, { shape, sample }];
}

function padded(number: number): string {
  return String(number).padStart(2, '0');
}
