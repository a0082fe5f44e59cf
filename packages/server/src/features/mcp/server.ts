import type {
  CallToolResult,
  JsonSchemaType,
  jsonSchemaValidator,
  McpServer as Server,
  ServerContext,
  StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { type Check, createValidation } from '../../kernel/http/validation.js';
import { programVersion } from '../../kernel/version.js';
import { LIBRARY_TOOLS } from './library-tools.js';
import { listResources, type McpResource } from './resources.js';
import { explain, type Tool, type ToolContext } from './tool.js';
import { VIDEO_TOOLS } from './video-tools.js';

const INSTRUCTIONS =
  'Figurehead turns text into presenter videos. Create a draft with create_video, look at its slides with preview_slide, ' +
  'correct them with edit_slide, call check_video, then render_video and wait_for_video. Everything is a draft until render_video.';

const STOPPED = 'The server stopped waiting, because it is restarting.\nNext: call again in a minute; renders go on.';

/** Annotations by the effect of a tool. */
const ANNOTATIONS = {
  reads: { readOnlyHint: true },
  adds: { readOnlyHint: false, destructiveHint: false },
  changes: { readOnlyHint: false, destructiveHint: true },
} as const;

/** Tools and resources that are prepared once for many servers. */
export interface McpCatalogue {
  readonly tools: readonly (Tool & { readonly schema: StandardSchemaWithJSON })[];
  readonly resources: readonly McpResource[];
}

/** Prepares the tools and reads the list of resources. */
export async function openCatalogue(): Promise<McpCatalogue> {
  const validation = createValidation();
  const tools = [...VIDEO_TOOLS, ...LIBRARY_TOOLS].map((tool) => {
    const input = { ...tool.input, additionalProperties: false };
    return { ...tool, schema: fromJsonSchema(input as JsonSchemaType, validatorOf(validation.body(input))) };
  });
  return { tools, resources: await listResources() };
}

/** The API's check of a body, as the protocol's library takes it. */
function validatorOf(check: Check): jsonSchemaValidator {
  return {
    getValidator: <T>() => {
      return (input: unknown) => {
        try {
          return { valid: true, data: check(input) as T, errorMessage: undefined };
        } catch (error) {
          const errorMessage = explain(error);
          if (errorMessage === undefined) throw error;
          return { valid: false, data: undefined, errorMessage };
        }
      };
    },
  };
}

/** What a server needs of its connection. */
export interface McpConnection extends Pick<ToolContext, 'client' | 'readFile'> {
  /** Ends all calls. */
  readonly signal: AbortSignal;
  /** Reports failures that are bugs. */
  readonly onFailure: (error: unknown, tool: string) => void;
}

/** A server of the protocol for one caller. */
export function createMcpServer({ tools, resources }: McpCatalogue, connection: McpConnection): Server {
  const server = new McpServer({ name: 'figurehead', version: programVersion() }, { instructions: INSTRUCTIONS });
  for (const tool of tools) {
    const { name, title, description, schema, effect } = tool;
    server.registerTool(
      name,
      { title, description, inputSchema: schema, annotations: ANNOTATIONS[effect] },
      (args, context) => call(tool, { args, context, connection }),
    );
  }
  for (const { name, uri, mimeType, description, read } of resources) {
    server.registerResource(name, uri, { mimeType, description }, async () => ({
      contents: [{ uri, mimeType, text: await read() }],
    }));
  }
  return server;
}

async function call(
  tool: Tool,
  { args, context, connection }: { args: unknown; context: ServerContext; connection: McpConnection },
): Promise<CallToolResult> {
  const { signal, _meta, notify } = context.mcpReq;
  const progressToken = _meta?.progressToken;
  try {
    const answer = await tool.run(args as never, {
      ...connection,
      signal: AbortSignal.any([signal, connection.signal]),
      async report(progress, message) {
        if (progressToken === undefined) return;
        const params = { progressToken, progress, total: 1, message };
        await notify({ method: 'notifications/progress', params }).catch((error: unknown) => {
          // One that has hung up misses it.
          if (!signal.aborted && !connection.signal.aborted) connection.onFailure(error, tool.name);
        });
      },
    });
    const { data, picture } = answer;
    const image = picture && {
      type: 'image' as const,
      data: Buffer.from(picture.bytes).toString('base64'),
      mimeType: picture.type,
    };
    return { content: [...(image ? [image] : []), { type: 'text', text: JSON.stringify(data) }] };
  } catch (error) {
    const reason = connection.signal.aborted ? STOPPED : explain(error);
    if (reason === undefined && !signal.aborted) connection.onFailure(error, tool.name);
    return { isError: true, content: [{ type: 'text', text: reason ?? 'The tool failed: an internal error.' }] };
  }
}
