package sshserver

import (
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/time/rate"
)

// person is a user who has logged in. Its counts and limits are for all connections of the user
// together.
type person struct {
	name        string
	isOperator  bool
	maxSessions int
	connections int           // number of connections
	sessions    int           // number of sessions
	cells       int           // number of cells in all terminals of the user
	keys        *rate.Limiter // for typed bytes
	resizes     *rate.Limiter // for new terminal sizes
	work        *workShare
	operations  *rate.Limiter // for sftp operations
	bytes       *rate.Limiter // for received bytes
	readings    chan struct{} // has an element for each survey file being read
}

func newPerson(l *Login) *person {
	p := &person{
		name:        l.person(),
		isOperator:  l.User == Operations,
		maxSessions: maxSessionsOf,
		keys:        rate.NewLimiter(keyRate, keyBurst),
		resizes:     rate.NewLimiter(resizeRate, resizeBurst),
		work:        newWorkShare(1),
		operations:  rate.NewLimiter(operationRate, operateBurst),
		bytes:       rate.NewLimiter(byteRate, byteBurst),
		readings:    make(chan struct{}, maxReadingsOf),
	}
	if l.User == Viewer {
		p.maxSessions = maxViewers
		p.work = newWorkShare(2)
	}
	return p
}

// maxConnections returns how many connections a person can have. There can be more connections than sessions.
// At the limit, at least one connection therefore has no session, and can be closed when the person connects
// again.
func (p *person) maxConnections() int {
	return max(maxConnectionsOf, 2*p.maxSessions)
}

// connectionTable has the connections of a server. It accepts every new connection. If there are too
// many, it closes another connection that has no session; see isWorse and closeIdle. It is safe for
// concurrent use.
type connectionTable struct {
	mu        sync.Mutex
	all       map[*connection]bool
	people    map[string]*person // the people with connections, by name
	guests    int                // number of sessions of guests
	operators int                // number of sessions of operations users
	cells     int                // number of cells in all terminals
	idleTime  time.Duration
}

func newConnectionTable(idleTime time.Duration) *connectionTable {
	return &connectionTable{
		all:      map[*connection]bool{},
		people:   map[string]*person{},
		idleTime: idleTime,
	}
}

// add adds a new connection. If there are too many connections without a login, it closes one of them and
// returns true. If the address of the new connection has too many, it closes a connection of this address.
// Otherwise it closes a connection of the address that has the most.
func (t *connectionTable) add(c *connection) (isFull bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	total, counts := t.countStrangers()
	if counts[c.address] >= maxStrangersOf {
		t.closeStranger(c.address)
		isFull = true
	} else if total >= maxStrangers {
		t.closeStranger(mostFrequent(counts))
		isFull = true
	}
	t.all[c] = true
	return isFull
}

// countStrangers counts the connections without a login. It returns their total and their number by address.
func (t *connectionTable) countStrangers() (total int, counts map[netip.Prefix]int) {
	counts = map[netip.Prefix]int{}
	for c := range t.all {
		if c.person == nil {
			total++
			counts[c.address]++
		}
	}
	return total, counts
}

// mostFrequent returns the address with the highest count.
func mostFrequent(counts map[netip.Prefix]int) netip.Prefix {
	var most netip.Prefix
	for address, count := range counts {
		if count > counts[most] {
			most = address
		}
	}
	return most
}

// closeStranger closes one of the connections without a login from an address. It chooses the worst
// connection; see isWorse.
func (t *connectionTable) closeStranger(address netip.Prefix) {
	var worst *connection
	for c := range t.all {
		if c.person == nil && c.address == address && (worst == nil || c.isWorse(worst)) {
			worst = c
		}
	}
	t.closeConnection(worst)
}

// isWorse reports whether c should be closed before other. Neither connection has a login. The connection
// with more wrong codes is worse. If the numbers are equal, a connection that has sent nothing is worse.
// Otherwise the older connection is worse.
func (c *connection) isWorse(other *connection) bool {
	if c.wrong != other.wrong {
		return c.wrong > other.wrong
	}
	if c.isSilent() != other.isSilent() {
		return c.isSilent()
	}
	return c.since.Before(other.since)
}

// closeConnection closes a connection and removes it. It does nothing if c is nil or was removed.
func (t *connectionTable) closeConnection(c *connection) {
	if c == nil || !t.all[c] {
		return
	}
	delete(t.all, c)
	_ = c.Close()
	if c.idle != nil {
		c.idle.Stop()
	}
	if c.person == nil {
		return
	}
	c.person.connections--
	if c.person.connections == 0 {
		delete(t.people, c.person.name)
	}
}

// remove closes a connection and removes it.
func (t *connectionTable) remove(c *connection) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closeConnection(c)
}

// closeAll closes all connections.
func (t *connectionTable) closeAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for c := range t.all {
		t.closeConnection(c)
	}
}

func (t *connectionTable) isLoggedIn(c *connection) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return c.person != nil
}

// countWrongCode counts a wrong code of a connection.
func (t *connectionTable) countWrongCode(c *connection) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c.wrong++
}

// wrongCodes returns the number of wrong codes that a connection has tried.
func (t *connectionTable) wrongCodes(c *connection) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return c.wrong
}

// logIn records the login of a connection. If the person or all people together have too many connections, it
// closes the oldest connection without a session.
func (t *connectionTable) logIn(c *connection, l *Login) *person {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.people[l.person()]
	if p == nil {
		p = newPerson(l)
		t.people[p.name] = p
	}
	if p.connections >= p.maxConnections() {
		t.closeIdle(p)
	}
	if t.loggedIn() >= maxConnections {
		t.closeIdle(nil)
	}
	t.people[p.name] = p // closing the person's only other connection has removed the person
	p.connections++
	c.person = p
	c.login = l
	c.idle = time.AfterFunc(t.idleTime, func() { t.remove(c) })
	c.reading.Store(p.bytes)
	return p
}

// loggedInConnections returns the connections with a login.
func (t *connectionTable) loggedInConnections() []*connection {
	t.mu.Lock()
	defer t.mu.Unlock()
	var loggedIn []*connection
	for c := range t.all {
		if c.person != nil {
			loggedIn = append(loggedIn, c)
		}
	}
	return loggedIn
}

// loggedIn returns the number of connections with a login.
func (t *connectionTable) loggedIn() int {
	n := 0
	for _, p := range t.people {
		n += p.connections
	}
	return n
}

// closeIdle closes the oldest connection without a session: of a person, or of all people if p is nil.
func (t *connectionTable) closeIdle(p *person) {
	var oldest *connection
	for c := range t.all {
		isIdle := c.person != nil && c.sessions == 0 && (p == nil || c.person == p)
		if isIdle && (oldest == nil || c.since.Before(oldest.since)) {
			oldest = c
		}
	}
	t.closeConnection(oldest)
}

// openSession counts a new session of a connection, or returns an error if there are too many.
func (t *connectionTable) openSession(c *connection) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := c.person
	if c.sessions >= maxSessionsOf {
		return fmt.Errorf("%d sessions are open on this connection; close one", c.sessions)
	}
	if p.sessions >= p.maxSessions {
		return fmt.Errorf("%s has %d open sessions; close one", p.name, p.sessions)
	}
	isFull := t.guests >= maxGuests
	if p.isOperator {
		isFull = t.operators >= maxOperators
	}
	if isFull {
		return errors.New("too many people are here; try again later")
	}
	t.countSession(c, 1)
	c.idle.Stop()
	return nil
}

// closeSession counts the end of a session of a connection.
func (t *connectionTable) closeSession(c *connection) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.countSession(c, -1)
	if c.sessions == 0 && t.all[c] {
		c.idle.Reset(t.idleTime)
	}
}

func (t *connectionTable) countSession(c *connection, n int) {
	c.sessions += n
	c.person.sessions += n
	if c.person.isOperator {
		t.operators += n
	} else {
		t.guests += n
	}
}

// sessions returns the number of sessions.
func (t *connectionTable) sessions() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.guests + t.operators
}

// fitSize returns the size in which the app is drawn for a terminal of the size want, and counts the cells.
// old is the size in which the app was drawn before. If the person or all people together use too many cells,
// a large terminal gets only 80x24. If want is zero, the cells are freed.
func (t *connectionTable) fitSize(p *person, old, want tea.WindowSizeMsg) tea.WindowSizeMsg {
	t.mu.Lock()
	defer t.mu.Unlock()
	oldCells := old.Width * old.Height
	free := min(maxCells-t.cells, maxCellsOf-p.cells) + oldCells
	want.Width = min(want.Width, maxWidth)
	want.Height = min(want.Height, maxHeight)
	if want.Width*want.Height > max(free, minCells) {
		want.Width = min(want.Width, 80)
		want.Height = min(want.Height, 24)
	}
	added := want.Width*want.Height - oldCells
	p.cells += added
	t.cells += added
	return want
}
