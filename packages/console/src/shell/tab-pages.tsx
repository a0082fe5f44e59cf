import { Tabs } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { useSearchParams } from 'wouter';

/** Tabs of a screen; the chosen one is part of the URL, and only its panel is mounted. */
export function TabPages(props: {
  readonly tabs: readonly { readonly value: string; readonly name: string; readonly panel: ReactNode }[];
}) {
  const { tabs } = props;
  const [params, setParams] = useSearchParams();
  const asked = params.get('tab');
  const tab = tabs.some(({ value }) => value === asked) ? asked : (tabs[0]?.value ?? null);
  const list = useRef<HTMLDivElement>(null);
  // Small screens do not show all tabs; the list scrolls, the page does not.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the tab is what it reacts to
  useEffect(() => {
    const chosen = list.current?.querySelector<HTMLElement>('[aria-selected=true]');
    if (chosen)
      list.current?.scrollTo({ left: chosen.offsetLeft - (list.current.clientWidth - chosen.offsetWidth) / 2 });
  }, [tab]);
  return (
    <Tabs
      value={tab}
      onChange={(value) => setParams(value ? { tab: value } : {}, { replace: true })}
      keepMounted={false}
    >
      <Tabs.List ref={list} mb="lg">
        {tabs.map(({ value, name }) => (
          <Tabs.Tab key={value} value={value}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ value, panel }) => (
        <Tabs.Panel key={value} value={value}>
          {panel}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
