// What editing feels like: frames while an object of forty is dragged, the time from an interaction to the next paint, and the path from
// an empty workspace to a shared link.

const OBJECTS = 40;
const DRAG_SECONDS = 4;
const percentile = (values, share) => values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? 0;

/** Drags one object of forty for some seconds. Times are those of the page's animation frames. */
export async function measureDragging(context, server) {
  const page = await openEditor(context, server);
  const box = await page.getByRole('application').boundingBox();
  const scale = box.width / 640;
  const at = (x, y) => [box.x + x * scale, box.y + y * scale];
  await page.mouse.move(...at(20, 20));
  await page.mouse.down();
  // The first move selects the object and opens its properties.
  await page.mouse.move(...at(60, 60), { steps: 10 });
  await page.evaluate(() => {
    window.frames_ = [];
    const count = (now) => {
      window.frames_.push(now);
      requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
  });
  const until = Date.now() + DRAG_SECONDS * 1000;
  for (let step = 0; Date.now() < until; step += 1) {
    await page.mouse.move(...at(320 + 200 * Math.sin(step / 20), 180 + 100 * Math.cos(step / 14)));
  }
  const times = await page.evaluate(() => window.frames_);
  await page.mouse.up();
  await page.close();
  const gaps = times.slice(1).map((time, index) => time - times[index]);
  const seconds = (times.at(-1) - times[0]) / 1000;
  return { perSecond: gaps.length / seconds, p50: percentile(gaps, 0.5), p95: percentile(gaps, 0.95) };
}

/** Interaction to next paint of ordinary work in the editor, by the browser's own event timing; ms. */
export async function measureInteractions(context, server) {
  const page = await openEditor(context, server);
  await page.evaluate(() => {
    window.interactions = new Map();
    new PerformanceObserver((list) => {
      for (const { interactionId, duration, name, target } of list.getEntries()) {
        if (interactionId === 0) continue;
        const before = window.interactions.get(interactionId)?.duration ?? 0;
        const on = target?.closest?.('button, [role], label');
        const place = on?.ariaLabel ?? on?.textContent ?? '';
        if (duration > before)
          window.interactions.set(interactionId, { duration, name: `${name} on “${place.slice(0, 30)}”` });
      }
    }).observe({ type: 'event', durationThreshold: 16, buffered: false });
  });
  let count = 0;
  const step = async (work) => {
    await work();
    count += 1;
  };
  const click = (name) => step(() => page.getByRole('button', { name, exact: true }).first().click());
  const tab = (name) => step(() => page.getByRole('tab', { name, exact: true }).click());
  const key = (name) => step(() => page.keyboard.press(name));
  const box = await page.getByRole('application').boundingBox();
  const scale = box.width / 640;
  for (let round = 0; round < 3; round += 1) {
    for (const [x, y] of [
      [20, 20],
      [100, 100],
      [180, 180],
    ]) {
      await step(() => page.mouse.click(box.x + x * scale, box.y + y * scale));
      await page.waitForTimeout(150);
    }
    for (const name of [
      'ArrowRight',
      'ArrowDown',
      'Control+d',
      'Control+z',
      'Control+c',
      'Control+v',
      'Delete',
      'Control+z',
    ]) {
      await key(name);
      await page.waitForTimeout(150);
    }
    for (const name of ['Video', 'Slide', 'Objects', 'Slide']) {
      await tab(name);
      await page.waitForTimeout(150);
    }
    const speech = page.getByLabel('Speech', { exact: true });
    await step(() => speech.click());
    for (const letter of 'A few words') await key(letter === ' ' ? 'Space' : letter);
    await step(() => page.getByRole('radio', { name: 'Marcus' }).click());
    await step(() => page.getByRole('radio', { name: 'Nora' }).click());
    for (const name of ['Text', 'Undo', 'Slide']) {
      await click(name);
      await page.waitForTimeout(400);
    }
    await step(() => page.getByRole('dialog').getByRole('button', { name: 'Bar chart' }).click());
    await page.waitForTimeout(400);
    for (const name of ['PageUp', 'PageDown', 'PageUp']) {
      await key(name);
      await page.waitForTimeout(150);
    }
  }
  await page.waitForTimeout(500);
  const seen = await page.evaluate(() => [...window.interactions.values()]);
  await page.close();
  // Interactions below the threshold are not reported and count as faster than all others.
  const durations = [...Array(Math.max(0, count - seen.length)).fill(8), ...seen.map(({ duration }) => duration)];
  const slowest = seen.toSorted((a, b) => b.duration - a.duration).slice(0, 5);
  return { count, p50: percentile(durations, 0.5), p95: percentile(durations, 0.95), slowest };
}

/** From an empty workspace to a link on the clipboard: presenter, text, voice heard, video, link. */
export async function measureFirstPath(context, server) {
  const page = await context.newPage();
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${server.url}/videos`);
  await page.getByRole('radio', { name: 'Nora' }).waitFor();
  await page.evaluate(() => {
    window.clicks = 0;
    document.addEventListener('click', ({ detail, isTrusted }) => {
      // A label's click on its field is not a second one.
      if (isTrusted && detail > 0) window.clicks += 1;
    });
  });
  const began = performance.now();
  await page.getByText('Nora', { exact: true }).click();
  await page.getByLabel('What should they say?').click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Hello, and welcome to our harbour.');
  await page.getByRole('button', { name: 'Hear this voice' }).click();
  await page.getByRole('button', { name: 'Stop the voice' }).waitFor();
  await page.getByRole('button', { name: 'Create video' }).click();
  await page.locator('video[src][controls]').waitFor();
  await page.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) >= 2);
  const playable = performance.now();
  await page.getByRole('button', { name: 'Copy link' }).first().click();
  await page.getByText('Link copied').first().waitFor();
  const shared = performance.now();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const answer = await fetch(link);
  if (!answer.ok || !answer.headers.get('content-type')?.startsWith('video/'))
    throw new Error(`the link answers ${answer.status}`);
  await answer.body?.cancel();
  const clicks = await page.evaluate(() => window.clicks);
  await page.close();
  return { clicks, playableSeconds: (playable - began) / 1000, sharedSeconds: (shared - began) / 1000 };
}

async function openEditor(context, server) {
  const objects = Array.from({ length: OBJECTS }, (_one, index) => {
    const [left, top] = [(index % 8) * 80, Math.floor(index / 8) * 72];
    const place = { left: left + 4, top: top + 4, originX: 'left', originY: 'top', width: 68, height: 60 };
    return index % 2
      ? { type: 'textbox', text: `Object ${index}`, fontSize: 14, fontFamily: 'Inter', ...place }
      : { type: 'rect', fill: '#14574b', ...place };
  });
  const slide = { speech: 'Forty objects on one slide.', voice: 'slt', voiceProvider: 'flite', language: 'English' };
  const slides = [
    { ...slide, id: 1, avatar: { code: 'nora' }, canvas: { version: '6.0.0', background: '#ffffff', objects } },
  ];
  const { _id } = await server.call('POST', '/videos', { name: 'Forty objects', slides });
  const page = await context.newPage();
  await page.goto(`${server.url}/videos/${_id}/edit`);
  await page.locator('.konvajs-content').waitFor();
  await page.getByRole('radio', { name: 'Nora' }).waitFor();
  await page.waitForTimeout(1500);
  return page;
}
