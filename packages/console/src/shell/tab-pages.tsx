import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { useChosenShown } from '../lib/use-chosen-shown.js';

/** Tabs of a screen; the chosen one is part of the URL, and only its panel is mounted. */
export function TabPages(props: {
  readonly tabs: readonly { readonly value: string; readonly name: string; readonly panel: ReactNode }[];
}) {
  const { tabs } = props;
  const [params, setParams] = useSearchParams();
  const asked = params.get('tab');
  const tab = tabs.some(({ value }) => value === asked) ? asked : (tabs[0]?.value ?? null);
  // Small screens do not show all tabs.
  const list = useChosenShown<HTMLDivElement>('[aria-selected=true]', tab);
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
