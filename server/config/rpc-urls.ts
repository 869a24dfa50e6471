import { z } from 'zod';

const endpointsMax = 8;

/**
 * One JSON-RPC endpoint or several: a text with commas or blanks between them, or a list. A key in one is kept out of every
 * message, so that a fault says no more than which of them is wrong.
 */
export const rpcUrls = z
  .union([z.string(), z.array(z.string())], { error: 'must be an http or https URL, or several' })
  .transform((given, context): readonly string[] => {
    const urls = [given].flat().flatMap((text) => text.split(/[\s,]+/).filter((url) => url !== ''));
    const complain = (message: string) => context.addIssue({ code: 'custom', message });
    if (urls.length === 0) complain('must be an http or https URL');
    if (urls.length > endpointsMax) complain(`must be at most ${endpointsMax} URLs, not ${urls.length}`);
    for (const [index, url] of urls.entries()) {
      const which = urls.length > 1 ? ` (the one at place ${index + 1} is none)` : '';
      if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) complain(`must be an http or https URL${which}`);
      else if (urls.indexOf(url) !== index) complain(`names one URL twice, at place ${index + 1} again`);
    }
    return urls;
  });
