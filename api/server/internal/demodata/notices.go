package demodata

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// addNotices adds the notification settings of an order, and the notices sent so far.
func (m *worldMaker) addNotices(a store.Account, row demoOrder, order *domain.PastOrder) {
	if row.Notice == noticesOff {
		return
	}
	order.Notify = &domain.PastNotify{
		Notify: store.Notify{
			Owner:   m.newUUID(order.Created),
			Webhook: "https://erp.nordlicht-windkraft.invalid/completed",
			Email:   true,
			Secret:  m.newSecret(),
		},
	}
	if order.Status != api.OrderCompleted {
		return
	}
	completed := lastMissionChange(order.Missions)
	webhook := m.webhookNotice(row, order, completed)
	email := store.Notice{
		UUID:     m.newUUID(completed),
		Kind:     store.NoticeEmail,
		Address:  a.ClientEmail,
		Success:  true,
		Attempts: 1,
		Created:  completed,
	}
	letter := &domain.NoticeLetter{
		To:          a.ClientEmail,
		ClientName:  a.ClientName,
		OrderName:   row.Name,
		CompletedAt: completed,
	}
	order.Notify.Notices = []domain.PastNotice{{Notice: webhook}, {Notice: email, Letter: letter}}
}

// webhookNotice returns the notice that was sent to the webhook of an order when the order
// was completed.
func (m *worldMaker) webhookNotice(row demoOrder, order *domain.PastOrder, completed time.Time) store.Notice {
	body, err := json.Marshal(api.OrderCompletion{
		ID:          order.UUID,
		OrderStatus: api.RecordCompleted,
		CompletedAt: api.TimeOf(completed),
	})
	if err != nil {
		panic(fmt.Sprintf("a notice: %v", err)) // cannot happen: a UUID and a time can always be encoded
	}
	notice := store.Notice{
		UUID:         m.newUUID(completed),
		Kind:         store.NoticeWebhook,
		Address:      order.Notify.Webhook,
		Body:         string(body),
		Success:      true,
		ResponseCode: 200,
		Attempts:     1,
		Created:      completed,
	}
	if row.Notice == noticesFailed {
		failure := "HTTP 503"
		notice.Success = false
		notice.ResponseCode = 503
		notice.Attempts = 4
		notice.Error = &failure
	}
	return notice
}
