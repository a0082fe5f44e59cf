import { Group, Text } from '@mantine/core';

/** Mark and name; `bare` is the mark alone. */
export function Logo({ size = 30, bare = false }: { readonly size?: number; readonly bare?: boolean }) {
  return (
    <Group gap={10} wrap="nowrap">
      <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="9" fill="#14574b" />
        <circle cx="16" cy="11.5" r="4.6" fill="#f3c77b" />
        <path
          d="M5 24c3.2 0 3.2-3.6 5.6-3.6s2.6 3.6 5.4 3.6 3-3.6 5.4-3.6S23.8 24 27 24"
          fill="none"
          stroke="#f6f3ec"
          strokeWidth="2.6"
          strokeLinecap="round"
        />
      </svg>
      {!bare && (
        <Text component="span" ff="heading" fw={600} fz={size * 0.66} style={{ letterSpacing: '-0.01em' }}>
          Figurehead
        </Text>
      )}
    </Group>
  );
}
