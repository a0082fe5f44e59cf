import { afterAll, beforeAll } from 'vitest';
import { agentsScreenScenarios } from './streams/agents-screen.js';
import { conversationScenarios } from './streams/conversation.js';
import { drawingScenarios } from './streams/drawing.js';
import { embedScenarios } from './streams/embed.js';
import { liveScenarios, lostHostScenarios } from './streams/live.js';
import { liveKitScenarios } from './streams/livekit.js';
import { pipecatScenarios } from './streams/pipecat.js';
import { relayScenarios } from './streams/relay.js';
import { simliScenarios } from './streams/simli.js';
import { makeStage, openStreamFixture, type StreamFixture } from './streams/stage.js';
import { whepScenarios } from './streams/whep.js';

let fixture: StreamFixture;
const stage = makeStage(() => fixture);

beforeAll(async () => {
  fixture = await openStreamFixture(stage);
});
afterAll(() => fixture?.close());

liveScenarios(stage);
embedScenarios(stage);
drawingScenarios(stage);
conversationScenarios(stage);
agentsScreenScenarios(stage);
pipecatScenarios(stage);
liveKitScenarios(stage);
simliScenarios(stage);
whepScenarios(stage);
relayScenarios(stage);
lostHostScenarios(stage);
