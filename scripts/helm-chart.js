// The Helm chart's templates are generated from the manifests of deploy/kubernetes/base, with values for the settings
// that differ between clusters. `node scripts/check-generated.js --write` writes them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.js';

const BASE = join(root, 'deploy/kubernetes/base');

/**
 * The parts of manifests that become values: [file, text of the manifest, template]. Each text must exist, so that a
 * renamed one is noticed.
 */
const VALUES = [
  ...['api', 'worker', 'streams'].flatMap((role) => [
    [role, 'image: figurehead', 'image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"'],
    [role, 'replicas: 2', `replicas: {{ .Values.replicas.${role} }}`],
  ]),
  ['api', 'hosts: ["talk.example.org"]', 'hosts: ["{{ .Values.host }}"]'],
  ['api', 'host: talk.example.org', 'host: "{{ .Values.host }}"'],
  ['api', 'ingressClassName: nginx', 'ingressClassName: "{{ .Values.ingressClass }}"'],
  ['configuration', 'https://talk.example.org', '"https://{{ .Values.host }}"'],
  ['configuration', 'FIGUREHEAD_S3_BUCKET: figurehead', 'FIGUREHEAD_S3_BUCKET: "{{ .Values.s3.bucket }}"'],
  ['configuration', 'https://s3.example.org', '"{{ .Values.s3.endpoint }}"'],
  ['configuration', 'turn:turn.example.org:3478', '"{{ .Values.turnUrls }}"'],
  ['configuration', '10.0.0.0/8', '"{{ .Values.trustProxy }}"'],
  ['worker', 'cpu: "4"', 'cpu: "{{ .Values.workerCores }}"'],
];

const FILES = ['api', 'configuration', 'network', 'streams', 'worker', 'namespace'];

/** Path of each template in the repository, with the function that generates its text. */
export const helmTemplates = Object.fromEntries(
  FILES.map((name) => [`deploy/helm/figurehead/templates/${templateName(name)}.yaml`, () => templateOf(name)]),
);

function templateOf(name) {
  let text = readFileSync(join(BASE, `${name}.yaml`), 'utf8');
  // Helm creates the namespace.
  if (name === 'namespace') text = text.slice(text.indexOf('---\n') + '---\n'.length);
  for (const [, from, to] of VALUES.filter(([file]) => file === name)) {
    if (!text.includes(from))
      throw new Error(`${name}.yaml no longer has "${from}": change scripts/helm-chart.js with it`);
    text = text.replaceAll(from, to);
  }
  return `{{- /* Made from deploy/kubernetes/base/${name}.yaml by scripts/helm-chart.js. */ -}}\n${text}`;
}

function templateName(name) {
  return name === 'namespace' ? 'service-account' : name;
}
