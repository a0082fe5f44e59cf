/** OpenAI-compatible servers: whole and streamed answers of a language model. Speech recognition by such a server or on this machine. */
export { type Chat, ModelError, openChat } from './chat.js';
export { converse, jsonIn } from './json-answer.js';
export { openLocalRecogniser } from './local-recogniser.js';
export { openRecogniser, type Recogniser } from './recogniser.js';
export { type ChatMessage, openStreamedChat, type StreamedChat, type ToolCall } from './streamed-chat.js';
