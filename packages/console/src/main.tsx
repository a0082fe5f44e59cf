import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/fraunces/wght.css';
import './styles.css';
import { createClient } from '@figurehead/sdk';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { keepFocus } from './lib/keep-focus.js';

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
setNonce(nonce);
const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element with the id "root"');
// Users should see the reason immediately instead of waiting for a rate limit.
const api = createClient({ baseUrl: '', maxRateLimitWaitSeconds: 0 });
keepFocus();
createRoot(root).render(
  <StrictMode>
    <App api={api} nonce={nonce} />
  </StrictMode>,
);
