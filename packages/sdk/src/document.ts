/** The tables of the video document for editors: object types, animations, transitions, codecs and providers with their labels. */
export * from '@figurehead/contract/document';
