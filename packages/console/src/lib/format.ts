/** `0:07`, `12:30`, `1:02:03`: whole seconds, as players count them. */
export function formatDuration(seconds: number): string {
  const whole = Math.floor(seconds + 0.01);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}

/** `3 minutes ago`, `in 2 hours`; a date when it is more than a week away. */
export function formatWhen(time: string): string {
  const seconds = (new Date(time).getTime() - Date.now()) / 1000;
  const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  const size = Math.abs(seconds);
  if (size < 45) return 'just now';
  if (size < 3600) return format.format(Math.round(seconds / 60), 'minute');
  if (size < 86_400) return format.format(Math.round(seconds / 3600), 'hour');
  if (size < 7 * 86_400) return format.format(Math.round(seconds / 86_400), 'day');
  return new Date(time).toLocaleDateString('en', { day: 'numeric', month: 'short', year: 'numeric' });
}

/** The full time, for tooltips and logs. */
export function formatTime(time: string): string {
  return new Date(time).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'medium' });
}

/** `840 B`, `12.4 KB`, `3.1 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ['KB', 'MB', 'GB'];
  const power = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(1)} ${units[power - 1]}`;
}

/** `1 video`, `3 videos`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}
