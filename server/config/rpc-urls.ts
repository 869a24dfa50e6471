import { z } from 'zod';

const endpointsMax = 8;

/**
 * One or several JSON-RPC endpoints: a text with commas or blanks, or a list. A URL may contain a key, so a
 * fault has only its position.
 */
export const rpcUrls = z
  .union([z.string(), z.array(z.string())], { error: 'must be an http or https URL, or several' })
  .transform((given, context): readonly string[] => {
    const urls = [given].flat().flatMap((text) => text.split(/[\s,]+/).filter((url) => url !== ''));
    const addIssue = (message: string) => context.addIssue({ code: 'custom', message });
    if (urls.length === 0) addIssue('must be an http or https URL');
    if (urls.length > endpointsMax) addIssue(`must be at most ${endpointsMax} URLs, not ${urls.length}`);
    for (const [index, url] of urls.entries()) {
      const which = urls.length > 1 ? ` (number ${index + 1} is not one)` : '';
      if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) addIssue(`must be an http or https URL${which}`);
      else if (urls.indexOf(url) !== index) addIssue(`has the same URL twice (number ${index + 1})`);
    }
    return urls;
  });
