package neworder

import "time"

func init() { maxPreviewTime = time.Minute }
