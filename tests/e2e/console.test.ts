import { afterAll, beforeAll, describe } from 'vitest';
import { hasChromium } from '../support/chromium.js';
import { openConsole, type TestConsole } from '../support/console.js';
import { administrationScenarios } from './console/administration.js';
import { agentScenarios } from './console/agents.js';
import { arrangingScenarios } from './console/arranging.js';
import { canvasScenarios } from './console/canvas.js';
import { castScenarios } from './console/cast.js';
import { editorScenarios } from './console/editor.js';
import { firstVisitScenarios } from './console/first-visit.js';
import { formScenarios } from './console/forms.js';
import { framingScenarios } from './console/framing.js';
import { integrationScenarios } from './console/integration.js';
import { paintingScenarios } from './console/painting.js';
import { productionScenarios } from './console/production.js';
import { reachScenarios } from './console/reach.js';
import { recordingScenarios } from './console/recording.js';
import { savingScenarios } from './console/saving.js';
import { firefoxScenarios } from './console/saving-firefox.js';
import { screensScenarios } from './console/screens.js';
import { scriptScenarios } from './console/script.js';
import { makeStage } from './console/stage.js';

describe.skipIf(!hasChromium())('the console in a real browser', () => {
  let fixture: TestConsole;
  const stage = makeStage(() => fixture);

  beforeAll(async () => {
    fixture = await openConsole();
  });
  afterAll(() => fixture?.close());

  // In this order, because a later scenario uses results of an earlier one.
  firstVisitScenarios(stage);
  editorScenarios(stage);
  savingScenarios(stage);
  firefoxScenarios(stage);
  formScenarios(stage);
  recordingScenarios(stage);
  canvasScenarios(stage);
  arrangingScenarios(stage);
  scriptScenarios(stage);
  framingScenarios(stage);
  paintingScenarios(stage);
  reachScenarios(stage);
  integrationScenarios(stage);
  productionScenarios(stage);
  castScenarios(stage);
  agentScenarios(stage);
  administrationScenarios(stage);
  screensScenarios(stage);
});
