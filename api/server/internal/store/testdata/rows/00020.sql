INSERT INTO orders (id, account_id, uuid, code, status, status_before, name, company_name, order_type, sensors, deliverables,
    mission_objective, industry_asset_type, start_date, deadline, area_size, mission_count, archive_reason, created, updated)
VALUES (2, 1, 'order-2', 'ORD-100202', 'archived', 'completed', 'Old', 'Äolus GmbH', 'singleLocation', 'rgbSensor', 'jpg',
    'mapAndSurvey', 'other', '2026-05-01T08:00:00Z', '2026-05-11T08:00:00Z', 0, 1, 'done', 1773480413600, 1773480413600);
