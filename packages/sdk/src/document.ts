/** The tables of the video document for editors: object types, animations, transitions, codecs and providers with their labels; and lists for forms. */
export * from '@figurehead/contract/document';
export { segmentsOf } from '@figurehead/contract/document/segments';
export { AGENT_LIMITS, MAX_TEMPLATE_ROWS, PLANS, WORKSPACE_STATUSES } from '@figurehead/contract/limits';
