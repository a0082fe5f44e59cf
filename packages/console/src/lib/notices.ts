import { notifications } from '@mantine/notifications';

/** Shows a notification. Notifications with the same `id` are not shown twice at a time. */
export function tell(notice: { readonly message: string; readonly failed?: string; readonly id?: string }): void {
  notifications.show({
    message: notice.message,
    color: notice.failed === undefined ? 'verdigris' : 'red',
    closeButtonProps: { 'aria-label': 'Close' },
    // A failure stays until it is closed.
    ...(notice.failed === undefined ? {} : { title: notice.failed, autoClose: false }),
    ...(notice.id === undefined ? {} : { id: notice.id }),
  });
}
