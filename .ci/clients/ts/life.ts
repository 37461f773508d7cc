// This program tests the TypeScript client that hey-api generates from api/openapi.yaml. It places an order, accepts a
// quote for it, delivers the data and completes the order. At the first unexpected response it exits with status 1.
import assert from 'node:assert/strict'

import * as api from './api'
import { createClient } from './api/client'

const baseUrl = process.env.ORIGIN!
const connect = (auth: string) => createClient({ baseUrl, auth, throwOnError: true })
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const kml =
  '<kml xmlns="http://www.opengis.net/kml/2.2"><Placemark><name>Mast</name><Point>' +
  '<coordinates>175.1234567,-37.7654321</coordinates></Point></Placemark></kml>'

async function life() {
  const desk = { client: connect(process.env.OPS_KEY!), throwOnError: true } as const
  const account = (await api.opsCreateAccount({ ...desk, body: { companyName: 'Clients Ltd' } })).data.data
  const scopes: api.Scope[] = ['orders:read', 'orders:write', 'files:read', 'webhooks:read', 'webhooks:write']
  const issued = (await api.opsIssueKey({ ...desk, path: { uuid: account.uuid }, body: { scopes } })).data.data
  const client = { client: connect(issued.key), throwOnError: true } as const
  const lenient = { client: createClient({ baseUrl, auth: issued.key }) }

  // Parse a survey file. The coordinates have all digits of the file.
  const parsed = await api.parseKml({ ...client, body: { file: new Blob([kml]) } })
  const mark = parsed.data.data.placemarks[0]
  assert.deepEqual(mark.locationMap[0], { lat: -37.7654321, lng: 175.1234567 })

  // Place an order. The service rejects a mission with a negative area.
  const mission: api.MissionInput = {
    missionName: 'Mast', missionType: 'asset', country: 'New Zealand', locationLabel: mark.locationLabel,
    areaSize: 123456.789, locationMap: mark.locationMap,
  }
  const order: api.OrderInput = {
    companyName: 'Clients Ltd', orderName: 'Mast', orderType: 'singleLocation', sensors: ['rgbSensor'],
    deliverables: ['_2dMap'], missionObjective: 'assetInspection', industryAssetType: 'telecom',
    startDate: inDays(7), deadline: inDays(30),
  }
  const placed = (await api.createOrder({ ...client, body: { order, missions: [mission] } })).data.data
  const refused = await api.createOrder({ ...lenient, body: { order, missions: [{ ...mission, areaSize: -1 }] } })
  assert.equal(refused.error?.data.errors?.[0].field, 'missions[0].areaSize')
  const { uuid } = placed

  // Read the list of orders, one order per page.
  const codes: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page = (await api.listOrders({ ...client, query: { limit: 1, cursor } })).data.data
    codes.push(...page.data.map((o) => o.orderCode))
    if (!page.hasNextPage) break
    cursor = page.nextCursor ?? undefined
  }
  assert.ok(codes.includes(placed.orderCode))
  const read = (await api.getOrder({ ...client, path: { code: placed.orderCode } })).data.data
  const id = { uuid: read.missions[0].uuid }

  // Register an endpoint and delete it.
  const hook = (await api.createWebhook({ ...client, body: { url: 'https://client.example/hook' } })).data.data
  assert.ok(hook.secret.startsWith('whsec_'))
  assert.equal(hook.lastStatus, null)
  await api.deleteWebhook({ ...client, path: { uuid: hook.uuid } })
  const gone = await api.getWebhook({ ...lenient, path: { uuid: hook.uuid } })
  assert.equal(gone.error?.data.code, 'not_found')

  // Issue a quote and accept it. The accepted quote cannot be rejected.
  const offer = { quoteName: 'Economy', deliveryBy: 20, priceBeforeDiscount: 123456789.99, expiryDate: inDays(3) }
  const { quoteId } = (await api.opsIssueQuote({ ...desk, path: { uuid }, body: offer })).data.data
  const record = (await api.getRecord({ ...client, path: { id: uuid } })).data
  assert.equal(record.quotes?.[0].finalPrice, 123456789.99)
  assert.equal((await api.listRecords({ ...client, body: {} })).data[0].id, uuid)
  const path = { orderId: uuid, quoteId }
  assert.equal((await api.decideQuote({ ...client, path, body: { status: 'accept' } })).data.status, 'Quote accepted')
  const late = await api.decideQuote({ ...lenient, path, body: { status: 'reject' } })
  assert.equal(late.response?.status, 409)

  // Fly the mission and download its files. The files and their package have the listed sizes.
  await api.opsAssignOperator({ ...desk, path: id, body: { operatorName: 'Kea Drones' } })
  await api.opsSchedule({ ...desk, path: id, body: { flightDate: inDays(9) } })
  await api.opsDeliver({ ...desk, path: id, body: { generate: true } })
  assert.equal((await api.listPlanning({ ...client, path: id })).data.data.data.length, 1)
  const [bundle] = (await api.listDeliveryPackages({ ...client, path: id })).data.data.data
  const files = (await api.listDeliveryFiles({ ...client, path: { uuid: bundle.uuid } })).data.data.data
  let total = 0
  for (const file of files) {
    const bytes = (await (await fetch(file.downloadUrl)).arrayBuffer()).byteLength
    assert.equal(bytes, Number(file.fileSize), file.fileName)
    total += bytes
  }
  assert.equal(total, Number(bundle.totalSize))
  await api.opsAcceptDelivery({ ...desk, path: id })
  const done = (await api.getOrder({ ...client, path: { code: placed.orderCode } })).data.data
  assert.equal(done.status, 'completed')
  console.log(`  ${done.orderCode} is completed (${process.argv[2]})`)
}

life().catch((reason) => {
  console.error(reason)
  process.exitCode = 1
})
