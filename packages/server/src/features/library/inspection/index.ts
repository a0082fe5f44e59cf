/** Inspection and conversion of uploaded files, in separate processes. */
export type { FontFacts } from './font-inspection.js';
export { createInspector, INSPECTION_PROGRAM, type InspectionJob, type Inspector } from './inspector.js';
export { INSPECTED, type MediaFacts, type Transcoded } from './media-files.js';
