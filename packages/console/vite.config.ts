import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  // The server puts a fresh nonce in its place with every answer; styles that libraries insert at run time carry it.
  html: { cspNonce: '__CSP_NONCE__' },
  build: { outDir: 'dist', assetsDir: 'assets', target: 'es2023', assetsInlineLimit: 0, chunkSizeWarningLimit: 700 },
});
