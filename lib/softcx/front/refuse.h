/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef SOFTCX_REFUSE_H
#define SOFTCX_REFUSE_H

/* Note in the trace that a program called a verbs function that this device does not have. */
void sc_verbs_refused(const char *name);

#endif
