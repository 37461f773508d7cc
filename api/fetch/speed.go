package fetch

import "time"

// speedMeter measures a speed over the last ten seconds.
type speedMeter struct {
	samples [21]speedSample // a ring, one sample for each meterPeriod
	count   int             // number of samples taken
}

// speedSample is a number of bytes at a time.
type speedSample struct {
	time  time.Time
	bytes int64
}

func (m *speedMeter) addSample(now time.Time, bytes int64) {
	m.samples[m.count%len(m.samples)] = speedSample{time: now, bytes: bytes}
	m.count++
}

// bytesPerSecond returns the measured speed, or 0 before there are two samples.
func (m *speedMeter) bytesPerSecond() float64 {
	if m.count < 2 {
		return 0
	}
	size := len(m.samples)
	newest := m.samples[(m.count-1)%size]
	oldest := m.samples[max(0, m.count-size)%size]
	seconds := newest.time.Sub(oldest.time).Seconds()
	if seconds <= 0 {
		return 0
	}
	return max(0, float64(newest.bytes-oldest.bytes)/seconds)
}

// TimeLeft estimates how long it takes to download the remaining bytes. speed is in bytes per
// second. The result is -1 if the speed is not known yet, or if the estimate is more than a year.
func TimeLeft(remaining int64, speed float64) time.Duration {
	if remaining <= 0 {
		return 0
	}
	if speed < 1 {
		return -1
	}
	seconds := float64(remaining) / speed
	if seconds > float64(365*24*3600) {
		return -1
	}
	return time.Duration(seconds * float64(time.Second)).Round(time.Second)
}
