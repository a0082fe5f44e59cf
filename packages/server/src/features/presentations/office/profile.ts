import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Settings of LibreOffice's configuration: path, name, type of the value, value. */
const SETTINGS: readonly (readonly [path: string, name: string, value: string | number | boolean])[] = [
  // Linked pictures and videos are not loaded, neither from the network nor from this machine's files.
  ['org.openoffice.Office.Common/Security/Scripting', 'BlockUntrustedRefererLinks', true],
  ['org.openoffice.Office.Common/Security/Scripting', 'DisableMacrosExecution', true],
  ['org.openoffice.Office.Common/Security/Scripting', 'MacroSecurityLevel', 3],
  ['org.openoffice.Office.Common/Security/Scripting', 'DisableActiveContent', true],
  ['org.openoffice.Office.Common/Security/Scripting', 'CheckDocumentEvents', false],
  ['org.openoffice.Office.Java/VirtualMachine', 'Enable', false],
  ['org.openoffice.Office.Common/Misc', 'FirstRun', false],
  ['org.openoffice.Office.Common/Misc', 'CrashReport', false],
  // Any remaining network access is sent to a closed port.
  ['org.openoffice.Inet/Settings', 'ooInetProxyType', 1],
  ['org.openoffice.Inet/Settings', 'ooInetHTTPProxyName', '127.0.0.1'],
  ['org.openoffice.Inet/Settings', 'ooInetHTTPProxyPort', 9],
  ['org.openoffice.Inet/Settings', 'ooInetHTTPSProxyName', '127.0.0.1'],
  ['org.openoffice.Inet/Settings', 'ooInetHTTPSProxyPort', 9],
  ['org.openoffice.Inet/Settings', 'ooInetNoProxy', ''],
];

/** Writes a fresh user profile for one conversion, so that no state passes between jobs. */
export async function writeOfficeProfile(folder: string): Promise<void> {
  await mkdir(join(folder, 'user'), { recursive: true });
  const items = SETTINGS.map(
    ([path, name, value]) =>
      `<item oor:path="/${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`,
  );
  await writeFile(
    join(folder, 'user', 'registrymodifications.xcu'),
    `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
${items.join('\n')}
</oor:items>
`,
  );
}
