// Kept apart from `new URL`, because Vite replaces the two together.
const script = import.meta.url;

/** The root of the gateway as this visitor reaches it. A proxy may add a path before it, and each script knows its own URL. */
const root = new URL('../../', script);

/** The URL of the gateway without a slash at its end, as the client package wants it. */
export const gatewayUrl = root.href.replace(/\/$/, '');

/** The path of this view at the gateway, such as `/tx/0x…`. */
export const viewPath = location.pathname.slice(root.pathname.length - 1);

/** The address of a path of the gateway, such as `/try`. */
export function link(path: string): string {
  return `${root.pathname}${path.slice(1)}`;
}
