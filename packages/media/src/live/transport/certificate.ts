import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** The host's DTLS certificate; peers identify it by its fingerprint (RFC 8827 section 6.5). */
export interface Certificate {
  /** X.509, PEM. */
  readonly certificate: string;
  /** PKCS #8, PEM. */
  readonly key: string;
  /** In the form of SDP: `sha-256 AB:CD:…`. */
  readonly fingerprint: string;
}

const YEAR_MS = 365 * 24 * 3600 * 1000;
const TAG = { integer: 0x02, bits: 0x03, oid: 0x06, text: 0x0c, time: 0x17, sequence: 0x30, set: 0x31 } as const;
/** ecdsa-with-SHA256 (RFC 5758 section 3.2) and commonName (RFC 5280 appendix A.1), already encoded. */
const ECDSA_SHA256 = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const COMMON_NAME = [0x55, 0x04, 0x03];

/** A new self-signed certificate (RFC 5280 section 4.1) with a P-256 key, valid for a year. */
export function createCertificate(nowMs = Date.now()): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(TAG.sequence, der(TAG.oid, Uint8Array.from(ECDSA_SHA256)));
  const name = der(
    TAG.sequence,
    der(TAG.set, der(TAG.sequence, der(TAG.oid, Uint8Array.from(COMMON_NAME)), der(TAG.text, Buffer.from('live')))),
  );
  // A leading 0x40 keeps the number positive and of full length.
  const serial = der(TAG.integer, Buffer.concat([Uint8Array.of(0x40), randomBytes(8)]));
  const validity = der(TAG.sequence, utcTime(nowMs - YEAR_MS / 365), utcTime(nowMs + YEAR_MS));
  const subjectKey = publicKey.export({ type: 'spki', format: 'der' });
  const signed = der(TAG.sequence, serial, algorithm, name, validity, name, subjectKey);
  const signature = sign('sha256', signed, privateKey);
  const whole = der(TAG.sequence, signed, algorithm, der(TAG.bits, Uint8Array.of(0), signature));
  const digest = createHash('sha256').update(whole).digest('hex').toUpperCase();
  return {
    certificate: toPem('CERTIFICATE', whole),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    fingerprint: `sha-256 ${digest.match(/../g)!.join(':')}`,
  };
}

/** An ASN.1 value with its tag and length (ITU-T X.690 section 8.1). */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const length =
    body.length < 0x80
      ? [body.length]
      : body.length < 0x100
        ? [0x81, body.length]
        : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Uint8Array.from([tag, ...length]), body]);
}

function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/[-:T]/g, '').slice(2, 14);
  return der(TAG.time, Buffer.from(`${digits}Z`, 'ascii'));
}

function toPem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
