/** What is found out about uploaded files, and what is made of them, in processes of their own. */
export type { FontFacts } from './font-inspection.js';
export { createInspector, INSPECTION_PROGRAM, type InspectionJob, type Inspector } from './inspector.js';
export { INSPECTED, type MediaFacts, type Transcoded } from './media-files.js';
