import { isIP } from 'node:net';
import { isPublicAddress } from '../../kernel/network/fetch.js';

/**
 * The problem of a receiver's address, or undefined. Host names are not resolved here: their addresses are checked at
 * every connect.
 */
export function checkWebhookUrl(text: string, allowPrivate: boolean): string | undefined {
  if (!URL.canParse(text)) return 'must be an absolute URL, like https://receiver.example/hook';
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return `must be http or https, not ${url.protocol}`;
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  // The parser has already converted 2130706433 and 0x7f.1 to 127.0.0.1.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isPrivate = isIP(host) === 0 ? /(^|\.)localhost\.?$/.test(host) : !isPublicAddress(host);
  if (isPrivate && !allowPrivate)
    return `must not point to ${host}, a private, loopback or reserved address, unless the server has FIGUREHEAD_WEBHOOK_ALLOW_PRIVATE=1`;
  return undefined;
}
