import { isPrivateHost } from '../../kernel/network/fetch.js';

/**
 * The problem of a receiver's address, or undefined. Host names are not resolved here: their addresses are checked at
 * every connect.
 */
export function checkWebhookUrl(text: string, allowPrivate: boolean): string | undefined {
  if (!URL.canParse(text)) return 'must be an absolute URL, like https://receiver.example/hook';
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return `must be http or https, not ${url.protocol}`;
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (!allowPrivate && isPrivateHost(url))
    return `must not point to ${url.hostname.replace(/^\[|\]$/g, '')}, a private, loopback or reserved address, unless the server has FIGUREHEAD_WEBHOOK_ALLOW_PRIVATE=1`;
  return undefined;
}
