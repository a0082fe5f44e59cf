import { createPrivateKey, type KeyObject, X509Certificate as NodeCertificate, sign, webcrypto } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Signer } from '@trustnxt/c2pa-ts/cose';
import type { Config } from '../../../kernel/config/config.js';
import { OperatorError } from '../../../kernel/operator-error.js';

const CURVE = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const YEARS = 10;
/** E-mail protection, which older validators ask for, and signing of C2PA claims (C2PA 2.1, 14.5.1). */
const EXTENDED_USES = ['1.3.6.1.5.5.7.3.4', '1.3.6.1.4.1.62558.2.1'];

/** A certificate with its chain, leaf first, and its key, all as PEM. */
interface Identity {
  readonly certificates: string;
  readonly key: string;
}

type Keys = Pick<Config, 'credentialsCertificate' | 'credentialsKey'>;

/** The operator's certificate, or one for this signer alone, whose key is not kept: for commands, which have no installation. */
export async function commandSigner(config: Keys): Promise<Signer> {
  return createSigner((await operatorsIdentity(config)) ?? (await issue('command-line')));
}

/** Throws an `OperatorError` for files that cannot sign. @returns `undefined` when none are configured. */
export async function operatorsIdentity(config: Keys): Promise<Identity | undefined> {
  const { credentialsCertificate: certificate, credentialsKey: key } = config;
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined || key === undefined) {
    throw new OperatorError('FIGUREHEAD_CREDENTIALS_CERTIFICATE and FIGUREHEAD_CREDENTIALS_KEY are set together.');
  }
  try {
    const identity = { certificates: await readFile(certificate, 'utf8'), key: await readFile(key, 'utf8') };
    const leaf = new NodeCertificate(identity.certificates);
    if (!leaf.checkPrivateKey(createPrivateKey(identity.key)))
      throw new Error('the key is not that of the certificate');
    return identity;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(`The certificate for content credentials cannot be used: ${reason}.`, { cause });
  }
}

/** A signer with a certificate and its key. Rejects with an `OperatorError` for a key of another kind than those of C2PA. */
export async function createSigner({ certificates, key: pem }: Identity): Promise<Signer> {
  const { X509Certificate, PemConverter } = await import('@peculiar/x509');
  const [certificate, ...chainCertificates] = PemConverter.decode(certificates).map((der) => new X509Certificate(der));
  if (certificate === undefined) throw new OperatorError('The certificate for content credentials is empty.');
  const key = createPrivateKey(pem);
  const { algorithm, hash } = algorithmOf(key);
  return {
    ...{ certificate, chainCertificates, algorithm },
    // COSE wants the two numbers of an ECDSA signature one after the other, not as DER (RFC 9053, 2.1).
    sign: async (payload) =>
      new Uint8Array(sign(hash, payload, { key, dsaEncoding: 'ieee-p1363', ...(hash !== null && padding(key)) })),
  };
}

function padding({ asymmetricKeyType }: KeyObject) {
  // RSASSA-PSS with a salt as long as the hash (RFC 8230).
  return asymmetricKeyType === 'rsa' ? { padding: 6, saltLength: 32 } : {};
}

/** COSE algorithm (RFC 9053, RFC 8230) and hash for a key. */
function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject) {
  if (type === 'ed25519') return { algorithm: -8, hash: null };
  if (type === 'rsa') return { algorithm: -37, hash: 'sha256' };
  if (type === 'ec' && details?.namedCurve === 'prime256v1') return { algorithm: -7, hash: 'sha256' };
  if (type === 'ec' && details?.namedCurve === 'secp384r1') return { algorithm: -35, hash: 'sha384' };
  throw new OperatorError('The key for content credentials must be P-256, P-384, Ed25519 or RSA.');
}

/** A root and a certificate below it: validators refuse one that signed itself. @param host name of the organisation. */
export async function issue(host: string): Promise<Identity> {
  const x509 = await import('@peculiar/x509');
  const [rootKeys, keys] = [await generate(), await generate()];
  const notBefore = new Date();
  const notAfter = new Date(notBefore);
  notAfter.setFullYear(notAfter.getFullYear() + YEARS);
  const common = { notBefore, notAfter, signingAlgorithm: CURVE };
  const organisation = `O=${host.replaceAll(/[^\w.-]/g, '')}`;
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    ...{ ...common, serialNumber: '01', name: `CN=Figurehead root,${organisation}`, keys: rootKeys },
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(rootKeys.publicKey),
    ],
  });
  const leaf = await x509.X509CertificateGenerator.create({
    ...{ ...common, serialNumber: '02', subject: `CN=Figurehead,${organisation}`, issuer: root.subject },
    ...{ publicKey: keys.publicKey, signingKey: rootKeys.privateKey },
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension(EXTENDED_USES),
      await x509.AuthorityKeyIdentifierExtension.create(root),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    certificates: `${leaf.toString('pem')}\n${root.toString('pem')}`,
    key: `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`,
  };
}

function generate(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(CURVE, true, ['sign', 'verify']);
}
