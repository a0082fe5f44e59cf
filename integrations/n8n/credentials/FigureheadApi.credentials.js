/** An API token of a workspace; tested by listing one video. */
exports.FigureheadApi = class {
  name = 'figureheadApi';
  displayName = 'Figurehead API';
  properties = [
    {
      displayName: 'Address of the Server',
      name: 'url',
      type: 'string',
      default: 'http://localhost:8080',
      description: 'As in the browser, without /api/v1',
      required: true,
    },
    {
      displayName: 'API Token',
      name: 'token',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
    },
  ];
  authenticate = { type: 'generic', properties: { headers: { Authorization: '=Bearer {{$credentials.token}}' } } };
  test = {
    request: { baseURL: '={{$credentials.url.replace(/\\/+$/, "")}}/api/v1', url: '/videos', qs: { limit: 1 } },
  };
};
