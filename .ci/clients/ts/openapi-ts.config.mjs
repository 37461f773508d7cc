// Two clients: one that takes answers as they come, and one that checks every
// answer against the description before it hands it on.
const input = '../openapi.yaml'

export default [
  { input, output: 'plain/api', plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'] },
  {
    input,
    output: 'checked/api',
    plugins: [
      '@hey-api/client-fetch',
      '@hey-api/typescript',
      { name: '@hey-api/sdk', validator: { request: false, response: 'zod' } },
      { name: 'zod', dates: { offset: true } },
    ],
  },
]
