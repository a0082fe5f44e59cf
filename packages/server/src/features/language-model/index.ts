/** OpenAI-compatible servers: whole and streamed answers of a language model, and speech recognition. */
export { type Chat, ModelError, openChat, type PromptMessage } from './chat.js';
export { openRecogniser, type Recogniser } from './recogniser.js';
export { type ChatMessage, openStreamedChat, type StreamedChat, type ToolCall } from './streamed-chat.js';
